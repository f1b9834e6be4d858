// Warnings about persistent volumes and claims. Source: Kubernetes documentation, "Persistent Volumes".
import {
  fieldAt,
  objectAt,
  objectsAt,
  type WarningContext,
  WarningList,
  warnOfFraction,
  warnOfTerm,
} from "@orch/apis-model";
import { isObject, type JsonObject } from "@orch/schema";

/** Sources whose plugins are gone, with the first release that deprecates them. */
const GONE_SOURCES: readonly (readonly [source: string, shownAs: string, since: string, text: string])[] = [
  ["cephfs", "cephfs", "1.28", "deprecated in v1.28, non-functional in v1.31+"],
  ["photonPersistentDisk", "photonPersistentDisk", "1.27", "deprecated in v1.11, non-functional in v1.16+"],
  ["scaleIO", "scaleIO", "1.27", "deprecated in v1.16, non-functional in v1.22+"],
  ["storageos", "storageOS", "1.27", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "glusterfs", "1.27", "deprecated in v1.25, non-functional in v1.26+"],
  ["rbd", "rbd", "1.28", "deprecated in v1.28, non-functional in v1.31+"],
];

/** Returns the warnings about a persistent volume. */
export function persistentVolumeWarnings(volume: JsonObject, context: WarningContext): readonly string[] {
  const list = new WarningList(context);
  if (!list.since("1.27")) return list.texts;
  warnOfClassAnnotation(volume, list);
  const { volumeBetaMountOptions: options } = context.vocabulary.annotations;
  if (list.since("1.31") && annotationOf(volume, options) !== undefined) {
    list.add(`metadata.annotations[${options}]`, 'deprecated since v1.31; use "mountOptions" attribute instead');
  }
  const spec = objectAt(volume, "spec");
  if (spec["persistentVolumeReclaimPolicy"] === "Recycle") {
    const advice = "Instead, the recommended approach is to use dynamic provisioning.";
    list.add("spec.persistentVolumeReclaimPolicy", `The Recycle reclaim policy is deprecated. ${advice}`);
  }
  const required = fieldAt(spec, ["nodeAffinity", "required"]);
  const terms = isObject(required) ? objectsAt(required, "nodeSelectorTerms") : [];
  for (const [position, term] of terms.entries()) {
    warnOfTerm(term, { at: `spec.nodeAffinity.required.nodeSelectorTerms[${position}]` }, list);
  }
  for (const [source, shownAs, since, text] of GONE_SOURCES) {
    if (spec[source] !== undefined && list.since(since)) list.add(`spec.${shownAs}`, text);
  }
  return list.texts;
}

/** Returns the warnings about a claim. */
export function persistentVolumeClaimWarnings(claim: JsonObject, context: WarningContext): readonly string[] {
  const list = new WarningList(context);
  if (!list.since("1.27")) return list.texts;
  warnOfClassAnnotation(claim, list);
  for (const amounts of ["requests", "limits"]) {
    warnOfFraction(
      fieldAt(claim, ["spec", "resources", amounts, "storage"]),
      `spec.resources.${amounts}[storage]`,
      list,
    );
  }
  return list.texts;
}

function warnOfClassAnnotation(object: JsonObject, list: WarningList): void {
  const { volumeBetaStorageClass: name } = list.vocabulary.annotations;
  if (annotationOf(object, name) === undefined) return;
  list.add(`metadata.annotations[${name}]`, 'deprecated since v1.8; use "storageClassName" attribute instead');
}

const annotationOf = (object: JsonObject, name: string) => fieldAt(object, ["metadata", "annotations", name]);
