// Rules of lists of conditions in a status. Source: Kubernetes API conventions, "Typical status properties".
import type { metaV1 } from "@orch/schema";
import { all, each, fields, type Rule, required, unique } from "../model/rules/rule";
import { format, nonNegative, oneOf, qualifiedName } from "./format-rules";

const REASON = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const REASON_MAX_BYTES = 1024;
const MESSAGE_MAX_BYTES = 32768;

const maxBytes =
  (max: number): Rule<string> =>
  (value, at, report) => {
    if (Buffer.byteLength(value) > max) report.tooLong(at, max);
  };

const condition = fields<metaV1.Condition>({
  type: required(qualifiedName),
  status: required(oneOf("True", "False", "Unknown")),
  observedGeneration: nonNegative,
  lastTransitionTime: required(),
  reason: required(
    all(
      maxBytes(REASON_MAX_BYTES),
      format((text: string) =>
        REASON.test(text)
          ? []
          : [
              "a condition's reason starts with a letter and holds letters, digits, '_', ',' and ':', not ending with ',' or ':'",
            ],
      ),
    ),
  ),
  message: maxBytes(MESSAGE_MAX_BYTES),
});

const _conditions: Rule<readonly metaV1.Condition[]> = all(
  each(condition),
  unique(({ type }) => type, { field: "type" }),
);
