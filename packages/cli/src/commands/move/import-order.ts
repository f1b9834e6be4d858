// Order of an import: what others need comes first. Objects with owners follow their owners in any case.
import type { ArchivedKind } from "./archive-form";

/** Resources of the stages, by name; those that no stage lists belong to {@link OTHERS}. */
const STAGES: readonly (readonly string[])[] = [
  ["customresourcedefinitions"],
  ["namespaces"],
  [
    "priorityclasses",
    "runtimeclasses",
    "storageclasses",
    "csidrivers",
    "volumeattributesclasses",
    "ingressclasses",
    "deviceclasses",
    "servicecidrs",
    "prioritylevelconfigurations",
    "clusterroles",
    "roles",
    "nodes",
  ],
  ["serviceaccounts", "configmaps", "secrets", "limitranges", "persistentvolumes"],
  ["clusterrolebindings", "rolebindings", "flowschemas", "persistentvolumeclaims", "services"],
  [],
  ["resourcequotas", "poddisruptionbudgets", "horizontalpodautoscalers"],
  // These may refuse or change everything that is created after them.
  [
    "apiservices",
    "validatingadmissionpolicies",
    "validatingadmissionpolicybindings",
    "mutatingadmissionpolicies",
    "mutatingadmissionpolicybindings",
    "validatingwebhookconfigurations",
    "mutatingwebhookconfigurations",
  ],
];
const OTHERS = 5;

export const DEFINITIONS_STAGE = 0;
/** Last stage after which owners are looked for in the target: admission may refuse objects later. */
export const LAST_BEFORE_ADMISSION = STAGES.length - 2;

/** Returns the resources by stage. Resources of a stage keep the order of the list of the stage. */
export function inStages(kinds: readonly ArchivedKind[]): readonly (readonly ArchivedKind[])[] {
  return STAGES.map((names, stage) =>
    kinds
      .filter(({ resource }) => stageOf(resource) === stage)
      .sort((one, other) => names.indexOf(one.resource) - names.indexOf(other.resource)),
  );
}

function stageOf(resource: string): number {
  const found = STAGES.findIndex((names) => names.includes(resource));
  return found === -1 ? OTHERS : found;
}
