// The text of a validation rule, and validation of everything except its expressions. Source:
// staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go.
import { type FieldError, field } from "@orch/machinery";
import { type JsonObject, memberOf } from "@orch/schema";

export interface RuleText {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

const REASONS = ["FieldValueRequired", "FieldValueInvalid", "FieldValueForbidden", "FieldValueDuplicate"] as const;
export type Reason = (typeof REASONS)[number];
export const DEFAULT_REASON: Reason = "FieldValueInvalid";

export function readRule(json: JsonObject): RuleText {
  const text = (name: string) => {
    const value = memberOf(json, name);
    return typeof value === "string" ? value : undefined;
  };
  const parts = {
    message: text("message"),
    messageExpression: text("messageExpression"),
    reason: text("reason"),
    fieldPath: text("fieldPath"),
  };
  const optionalOldSelf = memberOf(json, "optionalOldSelf");
  return {
    rule: text("rule") ?? "",
    ...Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)),
    ...(typeof optionalOldSelf === "boolean" ? { optionalOldSelf } : {}),
  };
}

/**
 * Validates the text of a rule.
 * @param path path of the rule
 */
export function textErrors(
  { rule, message, messageExpression, reason, fieldPath }: RuleText,
  path: string,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  const at = (part: string) => `${path}.${part}`;
  if (rule.trim() === "") errors.push(field.required(at("rule"), "rule is not specified"));
  if (message !== undefined && message !== "") {
    if (message.trim() === "") errors.push(field.invalid(at("message"), message, "must be non-empty if specified"));
    else if (/[\n\r]/.test(message.trim()))
      errors.push(field.invalid(at("message"), message, "must not contain line breaks"));
  } else if (/[\n\r]/.test(rule.trim()) && (messageExpression ?? "").trim() === "") {
    errors.push(field.required(at("message"), "message must be specified if rule contains line breaks"));
  }
  if (messageExpression !== undefined && messageExpression !== "" && messageExpression.trim() === "") {
    errors.push(field.required(at("messageExpression"), "messageExpression must be non-empty if specified"));
  }
  if (reason !== undefined && !isReason(reason)) errors.push(field.notSupported(at("reason"), reason, REASONS));
  if (fieldPath !== undefined && fieldPath !== "" && fieldPath.trim() === "") {
    errors.push(field.invalid(at("fieldPath"), fieldPath, "must be non-empty if specified"));
  }
  if (fieldPath !== undefined && /[\n\r]/.test(fieldPath)) {
    errors.push(field.invalid(at("fieldPath"), fieldPath, "must not contain line breaks"));
  }
  return errors;
}

export const isReason = (text: string): text is Reason => (REASONS as readonly string[]).includes(text);
