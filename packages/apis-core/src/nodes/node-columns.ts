// Columns of nodes. Source: pkg/printers/internalversion/printers.go.

import { ageColumn, type CellObject, column, nameColumn, wide } from "@orch/apis-model";
import type { TableColumn } from "@orch/machinery";
import type { coreV1, Vocabulary } from "@orch/schema";

type Node = CellObject<coreV1.Node>;

export const nodeColumns = ({ labels }: Vocabulary): readonly TableColumn[] => [
  nameColumn,
  column<coreV1.Node>("Status", "Whether the node is ready, and whether it takes new pods.", readiness),
  column<coreV1.Node>("Roles", "What the node's labels say that it is for.", (node) => {
    return rolesText(node, { prefix: labels.nodeRole, label: labels.role });
  }),
  ageColumn,
  column<coreV1.Node>("Version", "The version of the agent on the node.", ({ status }) => {
    return status?.nodeInfo?.kubeletVersion ?? "";
  }),
  wide(column<coreV1.Node>("Internal-IP", "Where the cluster reaches the node.", address("InternalIP"))),
  wide(column<coreV1.Node>("External-IP", "Where the rest of the world reaches the node.", address("ExternalIP"))),
  wide(column<coreV1.Node>("OS-Image", "The operating system of the node.", system("osImage"))),
  wide(column<coreV1.Node>("Kernel-Version", "The kernel of the node.", system("kernelVersion"))),
  wide(
    column<coreV1.Node>("Container-Runtime", "What runs containers on the node.", system("containerRuntimeVersion")),
  ),
];

function readiness({ spec, status }: Node): string {
  const condition = status?.conditions?.find(({ type }) => type === "Ready");
  const ready = condition === undefined ? "Unknown" : condition.status === "True" ? "Ready" : "NotReady";
  return spec?.unschedulable ? `${ready},SchedulingDisabled` : ready;
}

/** Formats the roles. @param by prefix of labels that end with a role, and a label whose value is a role */
function rolesText({ metadata }: Node, by: { readonly prefix: string; readonly label: string }): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(metadata?.labels ?? {})) {
    if (key.startsWith(by.prefix)) roles.add(key.slice(by.prefix.length));
    else if (key === by.label) roles.add(value ?? "");
  }
  roles.delete("");
  return [...roles].sort().join(",") || "<none>";
}

const address =
  (wanted: string) =>
  ({ status }: Node): string =>
    status?.addresses?.find(({ type }) => type === wanted)?.address || "<none>";

const system =
  (field: "osImage" | "kernelVersion" | "containerRuntimeVersion") =>
  ({ status }: Node): string =>
    status?.nodeInfo?.[field] || "<unknown>";
