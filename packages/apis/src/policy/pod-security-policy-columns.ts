// Columns of pod security policies. Source: pkg/printers/internalversion/printers.go.

import { type CellObject, column, nameColumn } from "@orch/apis-model";
import type { TableColumn } from "@orch/machinery";
import type { policyV1beta1 } from "@orch/schema";

type Policy = policyV1beta1.PodSecurityPolicy;

export const podSecurityPolicyColumns: readonly TableColumn[] = [
  nameColumn,
  column<Policy>("Priv", "Whether containers may be privileged.", ({ spec }) => String(spec?.privileged === true)),
  column<Policy>("Caps", "Which capabilities containers may add.", ({ spec }) => {
    return (spec?.allowedCapabilities ?? []).join(",");
  }),
  column<Policy>("SELinux", "Which SELinux labels containers may have.", rule("seLinux")),
  column<Policy>("RunAsUser", "Which users containers may run as.", rule("runAsUser")),
  column<Policy>("FsGroup", "Which groups the files of volumes may belong to.", rule("fsGroup")),
  column<Policy>("SupGroup", "Which further groups containers may be in.", rule("supplementalGroups")),
  column<Policy>("ReadOnlyRootFs", "Whether the root of a container's files must be read-only.", ({ spec }) => {
    return spec?.readOnlyRootFilesystem ?? false;
  }),
  column<Policy>("Volumes", "Which kinds of volumes pods may have.", ({ spec }) => (spec?.volumes ?? []).join(",")),
];

function rule(field: "seLinux" | "runAsUser" | "fsGroup" | "supplementalGroups") {
  return ({ spec }: CellObject<Policy>): string => spec?.[field]?.rule ?? "";
}
