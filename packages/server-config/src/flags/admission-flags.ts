// Options of admission. Source: Kubernetes documentation, "kube-apiserver" and "Admission Controllers Reference".
import { pluginsOf } from "@orch/admission";
import { DEFAULT_RELEASES } from "@orch/apis";
import { section } from "@orch/machinery";

const RELEASES = [...new Set(Object.values(DEFAULT_RELEASES))];

const pluginsText = (release: string) =>
  pluginsOf(release)
    .map(({ plugin, onByDefault }) => (onByDefault ? `${plugin.name} (default)` : plugin.name))
    .join(", ");

export const ADMISSION_FLAGS = section("Admission", {
  "enable-admission-plugins": {
    type: "strings",
    default: "",
    help: `admission plugins to enable in addition to the default ones; ${RELEASES.map((release) => `in ${release}: ${pluginsText(release)}`).join("; ")}`,
  },
  "disable-admission-plugins": { type: "strings", default: "", help: "default admission plugins to disable" },
  "admission-control-config-file": {
    type: "string",
    default: "",
    help: "file with an AdmissionConfiguration, YAML or JSON, which configures admission plugins directly or by file name; read once, at the start",
  },
  "admission-control": {
    type: "strings",
    default: "",
    help: "complete list of enabled admission plugins; excludes --enable-admission-plugins and --disable-admission-plugins",
    deprecated: "use --enable-admission-plugins and --disable-admission-plugins",
  },
  "default-not-ready-toleration-seconds": {
    type: "int",
    default: "300",
    min: 0,
    help: "seconds that a pod without a toleration of its own stays on a node that is not ready; used by the plugin DefaultTolerationSeconds",
  },
  "default-unreachable-toleration-seconds": {
    type: "int",
    default: "300",
    min: 0,
    help: "seconds that a pod without a toleration of its own stays on an unreachable node; used by the plugin DefaultTolerationSeconds",
  },
});
