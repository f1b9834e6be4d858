// Rules of the conditions of a status. Source:
// staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go.
import type { metaV1 } from "@orch/schema";
import { all, each, type Rule, unique } from "../model/rules/rule";
import { NOT_NEGATIVE, qualifiedName } from "./format-rules";

const REASON_MAX_BYTES = 1024;
const MESSAGE_MAX_BYTES = 32 * 1024;
const STATUSES = ["False", "True", "Unknown"];

const REASON = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const REASON_DETAIL =
  "a reason holds letters, digits and '_,:', starts with a letter and ends with a letter, a digit or '_'";

const condition: Rule<metaV1.Condition> = (
  { type, status, observedGeneration = 0, lastTransitionTime, reason, message = "" },
  at,
  report,
) => {
  qualifiedName(type, at.field("type"), report);
  if (!STATUSES.includes(status)) report.notSupported(at.field("status"), status, STATUSES);
  if (Number(observedGeneration) < 0) report.invalid(at.field("observedGeneration"), observedGeneration, NOT_NEGATIVE);
  if (!lastTransitionTime) report.required(at.field("lastTransitionTime"));
  const place = at.field("reason");
  if (!reason) report.required(place);
  else if (reason.length > REASON_MAX_BYTES) report.tooLong(place, REASON_MAX_BYTES);
  else if (!REASON.test(reason)) report.invalid(place, reason, REASON_DETAIL);
  if (message.length > MESSAGE_MAX_BYTES) report.tooLong(at.field("message"), MESSAGE_MAX_BYTES);
};

/** Requires conditions with distinct types and valid fields. */
export const conditions: Rule<readonly metaV1.Condition[]> = all(
  unique(({ type }) => type, { field: "type" }),
  each(condition),
);
