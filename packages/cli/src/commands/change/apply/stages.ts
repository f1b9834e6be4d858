// The order in which objects are applied: definitions and namespaces first, then the others in their order. Objects
// that admission of later ones asks for, such as service accounts of pods, are finished before those.
import type { Vocabulary } from "@orch/schema";
import type { ManifestObject } from "../../../resources/manifests";

/** Kinds that the admission of other objects reads, or that objects of other kinds refer to when they are written. */
const ASKED_FOR: ReadonlySet<string> = new Set([
  "ClusterRole",
  "LimitRange",
  "MutatingAdmissionPolicy",
  "MutatingWebhookConfiguration",
  "PriorityClass",
  "ResourceQuota",
  "Role",
  "RuntimeClass",
  "ServiceAccount",
  "StorageClass",
  "ValidatingAdmissionPolicy",
  "ValidatingWebhookConfiguration",
]);

export const isDefinition = ({ object }: ManifestObject, names: Vocabulary): boolean =>
  object["kind"] === "CustomResourceDefinition" && groupOf(object["apiVersion"]) === names.groups.apiextensions;

const isNamespace = ({ object }: ManifestObject): boolean =>
  object["kind"] === "Namespace" && object["apiVersion"] === "v1";

const groupOf = (apiVersion: unknown): string => String(apiVersion).split("/")[0] ?? "";

/** Returns groups of objects. The objects of a group may be written at the same time, the groups one after the other. */
export function stagesOf(
  manifests: readonly ManifestObject[],
  names: Vocabulary,
): readonly (readonly ManifestObject[])[] {
  const first = manifests.filter((each) => isNamespace(each) || isDefinition(each, names));
  const stages: ManifestObject[][] = first.length === 0 ? [] : [first];
  let stage: ManifestObject[] = [];
  let wasAskedFor: string | undefined;
  for (const each of manifests) {
    if (isNamespace(each) || isDefinition(each, names)) continue;
    const kind = String(each.object["kind"]);
    if (wasAskedFor !== undefined && kind !== wasAskedFor) {
      stages.push(stage);
      stage = [];
    }
    wasAskedFor = ASKED_FOR.has(kind) ? kind : wasAskedFor !== undefined && stage.length > 0 ? wasAskedFor : undefined;
    stage.push(each);
  }
  if (stage.length > 0) stages.push(stage);
  return stages;
}
