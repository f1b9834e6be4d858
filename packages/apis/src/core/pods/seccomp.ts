// Two ways to name the seccomp profile of a pod and of its containers: annotations, and the fields that came after them. A new pod that
// says it one way says it the other way too, for readers of either. Source: facts, strategy.json "pods".
import { isObject, type JsonObject, type JsonValue, type Vocabulary } from "@orch/schema";
import { fieldAt, objectAt, objectsAt } from "../../values/field-path";

export function matchSeccomp(pod: JsonObject, vocabulary: Vocabulary): void {
  const spec = objectAt(pod, "spec");
  matchOne(pod, vocabulary.annotations.seccompSecurityAlphaPod, spec);
  const prefix = vocabulary.annotations.containerSeccompSecurityAlpha;
  for (const list of CONTAINER_LISTS) {
    for (const container of objectsAt(spec, list)) matchOne(pod, `${prefix}${String(container["name"])}`, container);
  }
}

const CONTAINER_LISTS = ["initContainers", "containers", "ephemeralContainers"];

/** @param confined the pod's spec or a container: what has a security context */
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

/** @returns undefined for a profile that says nothing valid */
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

/** @returns undefined for a text that names no profile */
function profileOf(text: JsonValue): JsonObject | undefined {
  if (text === "unconfined") return { type: "Unconfined" };
  if (text === "runtime/default" || text === "docker/default") return { type: "RuntimeDefault" };
  if (typeof text !== "string" || !text.startsWith(LOCAL)) return undefined;
  const path = text.slice(LOCAL.length);
  return isLocalPath(path) ? { type: "Localhost", localhostProfile: path } : undefined;
}

/** What validation will refuse is not spread. */
function isLocalPath(path: JsonValue | undefined): path is string {
  return typeof path === "string" && path !== "" && !path.startsWith("/") && !path.split("/").includes("..");
}
