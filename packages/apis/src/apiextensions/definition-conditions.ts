// Conditions of custom resource definitions that the server sets.
import { timestamp } from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";

export interface DefinitionCondition {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/** Returns the condition of a type, or undefined when it is absent. */
export const conditionAt = (status: JsonValue | undefined, type: string): JsonObject | undefined =>
  conditionsIn(status).find((each) => each["type"] === type);

/**
 * Returns a status with the condition set, and with a new transition time when its `status` changes. Does not modify
 * its arguments.
 */
export function withCondition(status: JsonObject, next: DefinitionCondition, nowMs: number): JsonObject {
  const conditions = conditionsIn(status);
  const old = conditionAt(status, next.type);
  if (old?.["status"] === next.status && old["reason"] === next.reason && old["message"] === next.message)
    return status;
  const since = old?.["status"] === next.status ? old["lastTransitionTime"] : undefined;
  const { type, ...said } = next;
  const made: JsonObject = { type, lastTransitionTime: since ?? timestamp(nowMs), ...said };
  return {
    ...status,
    conditions: old === undefined ? [...conditions, made] : conditions.map((each) => (each === old ? made : each)),
  };
}

export function withoutCondition(status: JsonObject, type: string): JsonObject {
  if (conditionAt(status, type) === undefined) return status;
  return { ...status, conditions: conditionsIn(status).filter((each) => each["type"] !== type) };
}

function conditionsIn(status: JsonValue | undefined): readonly JsonObject[] {
  const conditions = isObject(status) ? status["conditions"] : undefined;
  return Array.isArray(conditions) ? conditions.filter(isObject) : [];
}
