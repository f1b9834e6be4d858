// Mirror pods, which represent static pods of a kubelet. They may not use secrets or tokens of the cluster.
import { objectKeyKind, podReferences } from "@orch/auth";
import { metaOf } from "@orch/machinery";
import { isObject, type JsonObject, type Vocabulary } from "@orch/schema";

export const isMirror = (pod: JsonObject, { annotations }: Vocabulary): boolean =>
  metaOf(pod).annotations?.[annotations.configMirror] !== undefined;

/** Returns why the spec is not allowed for a mirror pod; undefined when it is. */
export function mirrorProblem(spec: JsonObject, namespace: string): string | undefined {
  if (spec["serviceAccountName"]) return "a mirror pod may not reference service accounts";
  let refersToSecrets = false;
  podReferences(spec, { namespace, name: "", ephemeralClaims: false }, (key) => {
    refersToSecrets ||= objectKeyKind(key) === "secret";
  });
  if (refersToSecrets) return "a mirror pod may not reference secrets";
  return projectsToken(spec) ? "a mirror pod may not use ServiceAccountToken volume projections" : undefined;
}

function projectsToken({ volumes }: JsonObject): boolean {
  if (!Array.isArray(volumes)) return false;
  return volumes.some((volume) => {
    const projected = isObject(volume) ? volume["projected"] : undefined;
    const sources = isObject(projected) ? projected["sources"] : undefined;
    return Array.isArray(sources) && sources.some((each) => isObject(each) && isObject(each["serviceAccountToken"]));
  });
}
