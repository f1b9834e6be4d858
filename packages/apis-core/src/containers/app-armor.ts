// AppArmor profiles of containers that a new pod names in annotations, as fields. Source:
// pkg/registry/core/pod/strategy.go; KEP-24, "AppArmor Support".

import { fieldAt, objectAt, objectsAt, sameValue } from "@orch/apis-model";
import { isObject, type JsonObject, type JsonValue, type Vocabulary } from "@orch/schema";

const CONTAINER_LISTS = ["initContainers", "containers", "ephemeralContainers"] as const;
const LOCAL = "localhost/";
/** Maximum length of the name of a local profile. */
export const LOCAL_PROFILE_MAX = 4095;

/** Copies annotations to fields that are absent. A profile equal to that of the pod is not copied. */
export function fillAppArmorFields(pod: JsonObject, vocabulary: Vocabulary): void {
  const annotations = fieldAt(pod, ["metadata", "annotations"]);
  if (!isObject(annotations)) return;
  const prefix = vocabulary.annotations.containerApparmorSecurityBeta;
  if (!Object.keys(annotations).some((name) => name.startsWith(prefix))) return;
  const spec = objectAt(pod, "spec");
  if (fieldAt(spec, ["os", "name"]) === "windows") return;
  const ofPod = fieldAt(spec, ["securityContext", "appArmorProfile"]);
  for (const list of CONTAINER_LISTS) {
    for (const container of objectsAt(spec, list)) {
      if (isObject(fieldAt(container, ["securityContext", "appArmorProfile"]))) continue;
      const profile = appArmorProfileOf(annotations[`${prefix}${String(container["name"])}`]);
      if (profile === undefined || sameValue(profile, ofPod)) continue;
      objectAt(container, "securityContext")["appArmorProfile"] = profile;
    }
  }
}

/** Returns the field of an annotation value; undefined when it names no valid profile. */
function appArmorProfileOf(text: JsonValue | undefined): JsonObject | undefined {
  if (text === "unconfined") return { type: "Unconfined" };
  if (text === "runtime/default") return { type: "RuntimeDefault" };
  if (typeof text !== "string" || !text.startsWith(LOCAL)) return undefined;
  const name = text.slice(LOCAL.length);
  return name.trim() === name && name !== "" && name.length <= LOCAL_PROFILE_MAX
    ? { type: "Localhost", localhostProfile: name }
    : undefined;
}
