// Validation of flow schemas. Source: pkg/apis/flowcontrol/validation/validation.go.

import {
  absentAs,
  all,
  each,
  fields,
  label1123,
  oneOf,
  type Rule,
  required,
  sameValue,
  subdomain,
  unique,
  updateValidator,
  validator,
} from "@orch/apis-model";
import type { flowcontrolV1, JsonValue } from "@orch/schema";
import { flowSubject } from "./flow-subject-validation";
import { EXEMPT, MANDATORY_FLOW_SCHEMAS } from "./mandatory-specs";

const PRECEDENCE_MAX = 10000;
const ANY = "*";
const VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];

const named: Rule<flowcontrolV1.FlowSchema> = ({ metadata, spec }, at, report) => {
  const { name = "" } = metadata ?? {};
  const mandated = MANDATORY_FLOW_SCHEMAS.get(name);
  if (mandated !== undefined && !sameValue(spec as JsonValue, mandated as JsonValue)) {
    report.invalid(at.field("spec"), spec, `spec of '${name}' must equal the fixed value`);
  }
  if (spec?.matchingPrecedence === 1 && name !== EXEMPT) {
    const detail = `only the schema named '${EXEMPT}' may have matchingPrecedence 1`;
    report.invalid(at.field("spec").field("matchingPrecedence"), 1, detail);
  }
};

const precedence: Rule<number> = (value, at, report) => {
  if (value < 1) report.invalid(at, value, "must be a positive value");
  if (value > PRECEDENCE_MAX) report.invalid(at, value, `must not be greater than ${PRECEDENCE_MAX}`);
};

/** Allows `*` only as the only item. */
const anyOr =
  (what: string, otherwise: Rule<readonly string[]> = () => undefined): Rule<readonly string[]> =>
  (words, at, report) => {
    if (!words.includes(ANY)) otherwise(words, at, report);
    else if (words.length > 1) report.invalid(at, words, `if '*' is present, must not specify other ${what}`);
  };

const verbs = required(
  anyOr("verbs", (words, at, report) => {
    if (!words.every((word) => VERBS.includes(word))) report.notSupported(at, words, VERBS);
  }),
);

const resourceRule: Rule<flowcontrolV1.ResourcePolicyRule> = all(
  fields<flowcontrolV1.ResourcePolicyRule>({
    verbs,
    apiGroups: required(anyOr("API groups")),
    resources: required(anyOr("resources")),
    namespaces: anyOr("namespaces", each(label1123)),
  }),
  ({ namespaces, clusterScope }, at, report) => {
    if (clusterScope === true || (namespaces ?? []).length > 0) return;
    report.required(
      at.field("namespaces"),
      "resource rules that are not cluster scoped must supply at least one namespace",
    );
  },
);

/** Requires `/` or an absolute path; `*` may replace the last segment. */
const path: Rule<string> = (text, at, report) => {
  if (text === "/") return;
  if (!text.startsWith("/")) report.invalid(at, text, "must start with '/'");
  if (text.includes(" ")) report.invalid(at, text, "must not contain white-space");
  if (text.includes("//")) report.invalid(at, text, "must not contain '//'");
  if (text.includes("*") && text.indexOf("*") !== text.length - 1) {
    report.invalid(at, text, "wildcards '*' must only be at the end");
  } else if (text.includes("*") && !text.endsWith("/*")) {
    report.invalid(at, text, "wildcards '*' must be a whole step of the path");
  }
};

const pathRule = fields<flowcontrolV1.NonResourcePolicyRule>({
  verbs,
  nonResourceURLs: required(anyOr("non-resource URLs", each(absentAs<string>("", path)))),
});

const rule: Rule<flowcontrolV1.PolicyRulesWithSubjects> = all(
  fields<flowcontrolV1.PolicyRulesWithSubjects>({ subjects: required(each(flowSubject)) }),
  ({ resourceRules = [], nonResourceRules = [] }, at, report) => {
    if (resourceRules.length + nonResourceRules.length === 0) {
      report.required(at, "at least one of resourceRules and nonResourceRules has to be non-empty");
    }
  },
  fields<flowcontrolV1.PolicyRulesWithSubjects>({
    resourceRules: each(resourceRule),
    nonResourceRules: each(pathRule),
  }),
);

export const validateFlowSchema = validator(
  all<flowcontrolV1.FlowSchema>(
    named,
    fields<flowcontrolV1.FlowSchema>({
      spec: fields<flowcontrolV1.FlowSchemaSpec>({
        matchingPrecedence: precedence,
        distinguisherMethod: fields<flowcontrolV1.FlowDistinguisherMethod>({
          type: absentAs<string>("", oneOf("ByNamespace", "ByUser")),
        }),
        priorityLevelConfiguration: fields<flowcontrolV1.PriorityLevelConfigurationReference>({
          name: required(subdomain),
        }),
        rules: each(rule),
      }),
    }),
  ),
);

interface WithConditions {
  readonly status?: { readonly conditions?: readonly { readonly type?: string }[] };
}

const status = fields<WithConditions>({
  status: fields<NonNullable<WithConditions["status"]>>({
    conditions: all(
      each(fields<{ readonly type?: string }>({ type: required() })),
      unique<{ readonly type?: string }>(({ type }) => type, { field: "type" }),
    ),
  }),
});

/** Validates the status of both kinds of the group. */
export const validateFlowControlStatus = updateValidator<WithConditions>((next, _old, at, report) =>
  status(next, at, report),
);
