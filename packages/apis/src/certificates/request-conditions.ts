// Conditions of certificate signing requests: decisions that the status subresource cannot change, and times that the
// server sets. Source: pkg/registry/certificates/certificates/strategy.go.

import { objectAt, objectsAt, type RuleContext } from "@orch/apis-model";
import { copyJson } from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";

const DECISIONS = ["Approved", "Denied"];

/**
 * Restores the decisions of the stored object when their number is unchanged. A different number is an error in v1; in
 * v1beta1, which allowed clients to omit them, all conditions stay as stored.
 */
export function restoreDecisions(object: JsonObject, old: JsonObject, { request }: RuleContext): void {
  const conditions = conditionsOf(object);
  const before = conditionsOf(old);
  if (
    request?.version.version === "v1beta1" &&
    DECISIONS.some((type) => count(conditions, type) !== count(before, type))
  ) {
    const { conditions: _, ...status } = objectAt(object, "status");
    object["status"] = before.length === 0 ? status : { ...status, conditions: copyJson(before) };
    return;
  }
  for (const decision of DECISIONS) {
    const places = conditions.flatMap(({ type }, place) => (type === decision ? [place] : []));
    const stored = before.filter(({ type }) => type === decision);
    if (places.length !== stored.length) continue;
    places.forEach((place, nth) => {
      conditions[place] = stored[nth] as JsonObject;
    });
  }
  if (conditions.length > 0) objectAt(object, "status")["conditions"] = conditions;
}

/** Sets the update time and the transition time of conditions. */
export function timeConditions(object: JsonObject, old: JsonObject, { request }: RuleContext): void {
  if (request === undefined) return;
  const times = new Map<string, JsonValue | undefined>();
  for (const before of conditionsOf(old)) {
    const key = typeAndStatus(before);
    if (!times.has(key)) times.set(key, before["lastTransitionTime"]);
  }
  for (const condition of conditionsOf(object)) {
    condition["lastUpdateTime"] ??= request.now;
    condition["lastTransitionTime"] ??= times.get(typeAndStatus(condition)) ?? request.now;
  }
}

const typeAndStatus = ({ type = null, status = null }: JsonObject): string => JSON.stringify([type, status]);

const count = (conditions: readonly JsonObject[], ofType: string): number =>
  conditions.filter(({ type }) => type === ofType).length;

const conditionsOf = ({ status }: JsonObject): JsonObject[] =>
  isObject(status) ? objectsAt(status, "conditions") : [];
