// Seccomp profiles of pods and containers, in annotations and in fields. Before 1.27, a new pod that has one gets the
// other, too, for readers of either. Source: pkg/registry/core/pod/strategy.go.

import { fieldAt, objectAt, objectsAt } from "@orch/apis-model";
import { isObject, type JsonObject, type JsonValue, type Vocabulary } from "@orch/schema";

export function matchSeccomp(pod: JsonObject, vocabulary: Vocabulary): void {
  const spec = objectAt(pod, "spec");
  matchOne(pod, vocabulary.annotations.seccompSecurityAlphaPod, spec);
  const prefix = vocabulary.annotations.containerSeccompSecurityAlpha;
  for (const list of CONTAINER_LISTS) {
    for (const container of objectsAt(spec, list)) matchOne(pod, `${prefix}${String(container["name"])}`, container);
  }
}

const CONTAINER_LISTS = ["initContainers", "containers", "ephemeralContainers"];

/** Completes annotation and field of one object. @param confined the pod's spec or a container */
function matchOne(pod: JsonObject, annotation: string, confined: JsonObject): void {
  const field = fieldAt(confined, ["securityContext", "seccompProfile"]);
  const said = fieldAt(pod, ["metadata", "annotations"]);
  const text = isObject(said) ? said[annotation] : undefined;
  if (isObject(field) && text === undefined) {
    const name = nameOf(field);
    if (name !== undefined) objectAt(objectAt(pod, "metadata"), "annotations")[annotation] = name;
  } else if (!isObject(field) && text !== undefined) {
    const profile = profileOf(text);
    if (profile !== undefined) objectAt(confined, "securityContext")["seccompProfile"] = profile;
  }
}

const LOCAL = "localhost/";

/** Returns the annotation value of a field; undefined for an invalid profile. */
function nameOf({ type, localhostProfile }: JsonObject): string | undefined {
  switch (type) {
    case "Unconfined":
      return "unconfined";
    case "RuntimeDefault":
      return "runtime/default";
    case "Localhost":
      return isLocalPath(localhostProfile) ? `${LOCAL}${localhostProfile}` : undefined;
    default:
      return undefined;
  }
}

/** Returns the field of an annotation value; undefined when it names no profile. */
function profileOf(text: JsonValue): JsonObject | undefined {
  if (text === "unconfined") return { type: "Unconfined" };
  if (text === "runtime/default" || text === "docker/default") return { type: "RuntimeDefault" };
  if (typeof text !== "string" || !text.startsWith(LOCAL)) return undefined;
  const path = text.slice(LOCAL.length);
  return isLocalPath(path) ? { type: "Localhost", localhostProfile: path } : undefined;
}

/** Rejects paths that validation will refuse; they are not copied. */
function isLocalPath(path: JsonValue | undefined): path is string {
  return typeof path === "string" && path !== "" && !path.startsWith("/") && !path.split("/").includes("..");
}
