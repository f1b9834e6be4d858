// Conditions that actions set in the status of pods. Source: pkg/api/v1/pod/util.go, UpdatePodCondition.
import { isObject, type JsonObject } from "@orch/schema";

/**
 * Sets a condition to True. The time of its transition stays when it already was.
 * @param now RFC 3339
 */
export function setCondition(status: JsonObject, condition: { readonly type: string } & JsonObject, now: string): void {
  const conditions = Array.isArray(status["conditions"]) ? status["conditions"].filter(isObject) : [];
  const before = conditions.find(({ type }) => type === condition.type);
  const since = before?.["status"] === "True" ? (before["lastTransitionTime"] ?? now) : now;
  const { type, ...details } = condition;
  const next = { type, status: "True", lastProbeTime: null, lastTransitionTime: since, ...details };
  status["conditions"] =
    before === undefined ? [...conditions, next] : conditions.map((each) => (each === before ? next : each));
}
