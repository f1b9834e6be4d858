// Options of admission. Source: access-control, "Admission control"; facts, flags.json.
import { section } from "@orch/machinery";

export const ADMISSION_FLAGS = section("Admission", {
  "enable-admission-plugins": { type: "strings", default: "", help: "plugins beside the default ones" },
  "disable-admission-plugins": { type: "strings", default: "", help: "default plugins to leave out" },
  "default-not-ready-toleration-seconds": {
    type: "int",
    default: "300",
    min: 0,
    help: "how long pods that do not say stay on a node that is not ready, with the plugin DefaultTolerationSeconds",
  },
  "default-unreachable-toleration-seconds": {
    type: "int",
    default: "300",
    min: 0,
    help: "how long pods that do not say stay on a node that cannot be reached, with the plugin DefaultTolerationSeconds",
  },
});
