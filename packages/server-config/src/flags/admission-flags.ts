// Options of admission. Source: Kubernetes documentation, "kube-apiserver" and "Admission Controllers Reference".
import { pluginsOf } from "@orch/admission";
import { DEFAULT_RELEASE } from "@orch/apis";
import { section } from "@orch/machinery";

const PLUGINS = pluginsOf(DEFAULT_RELEASE)
  .map(({ plugin, onByDefault }) => (onByDefault ? `${plugin.name} (default)` : plugin.name))
  .join(", ");

export const ADMISSION_FLAGS = section("Admission", {
  "enable-admission-plugins": {
    type: "strings",
    default: "",
    help: `plugins beside the default ones; in ${DEFAULT_RELEASE}: ${PLUGINS}`,
  },
  "disable-admission-plugins": { type: "strings", default: "", help: "default plugins to leave out" },
  "admission-control-config-file": {
    type: "string",
    default: "",
    help: "file of an AdmissionConfiguration, YAML or JSON: what plugins go by, in it or in files that it names; read once, at the start",
  },
  "admission-control": {
    type: "strings",
    default: "",
    help: "all plugins that are on; excludes --enable-admission-plugins and --disable-admission-plugins",
    deprecated: "use --enable-admission-plugins and --disable-admission-plugins",
  },
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
