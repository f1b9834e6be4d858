// What the server says of a definition. Source: facts, validation/apiextensions.md "Conditions set by the server".
import { timestamp } from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";

export interface DefinitionCondition {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/** @returns undefined where nothing is said of it */
export const conditionAt = (status: JsonValue | undefined, type: string): JsonObject | undefined =>
  conditionsIn(status).find((each) => each["type"] === type);

/** The status with one more or another condition, and with its time where `status` has become another. Changes nothing of what it is given. */
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
