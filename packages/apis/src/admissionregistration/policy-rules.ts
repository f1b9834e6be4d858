// Rules of both kinds of admission policies: match constraints and named expressions. Expressions are compiled
// elsewhere. Source: KEP-3488, "CEL for Admission Control".

import {
  all,
  each,
  fields,
  isExact,
  label1035,
  labelSelector,
  oneOf,
  type Place,
  pathSegment,
  present,
  qualifiedName,
  type Report,
  type Rule,
  required,
  subdomain,
  unique,
} from "@orch/apis-model";
import type { admissionregistrationV1 } from "@orch/schema";
import { webhookRule } from "./webhook-rule-validation";

type NamedRule = admissionregistrationV1.NamedRuleWithOperations;

const CONDITIONS_MAX = 64;
const VARIABLE = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
/** Reserved words of the expression language. */
const RESERVED: ReadonlySet<string> = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);
const KIND = /^[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?$/;
const KIND_MAX = 63;

export const expression: Rule<string> = (value, at, report) => {
  if (value.trim() === "") report.required(at, "expression is not specified");
};

const atMost =
  <T>(max: number): Rule<readonly T[]> =>
  (list, at, report) => {
    if (list.length > max) report.tooMany(at, { count: list.length, max });
  };

export const failurePolicy = oneOf("Fail", "Ignore");

export const matchConditions: Rule<readonly admissionregistrationV1.MatchCondition[]> = all(
  atMost(CONDITIONS_MAX),
  each(
    fields<admissionregistrationV1.MatchCondition>({
      name: required(qualifiedName),
      expression: required(expression),
    }),
  ),
  unique<admissionregistrationV1.MatchCondition>(({ name }) => name, { field: "name" }),
);

/** Rules of variables. A later variable may replace an earlier one of the same name. */
export const variables: Rule<readonly admissionregistrationV1.Variable[]> = each(
  fields<admissionregistrationV1.Variable>({
    name: required((name, at, report) => {
      if (!VARIABLE.test(name) || RESERVED.has(name)) report.invalid(at, name, "must be a valid CEL identifier");
    }),
    expression: required(expression),
  }),
);

export const paramKind: Rule<admissionregistrationV1.ParamKind> = fields<admissionregistrationV1.ParamKind>({
  apiVersion: required((text, at, report) => {
    const [version, group] = text.split("/").reverse();
    if (text.split("/").length > 2) report.invalid(at, text, `unexpected GroupVersion string: ${text}`);
    else {
      if (group !== undefined) subdomain(group, at, report);
      if (version === undefined || version === "") report.invalid(at, text, "version must be specified");
      else label1035(version, at, report);
    }
  }),
  kind: required((kind, at, report) => {
    if (!KIND.test(kind) || kind.length > KIND_MAX)
      report.invalid(
        at,
        kind,
        "may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
      );
  }),
});

const namedRule: Rule<NamedRule> = (rule, at, report) => {
  fields<NamedRule>({
    resourceNames: all(
      each(pathSegment),
      unique<string>((name) => name),
    ),
  })(rule, at, report);
  webhookRule(rule, at, report);
};

/** Rules of match constraints. */
export const matchResources: Rule<admissionregistrationV1.MatchResources> =
  fields<admissionregistrationV1.MatchResources>({
    namespaceSelector: required(labelSelector),
    objectSelector: required(labelSelector),
    matchPolicy: present(oneOf("Exact", "Equivalent")),
    resourceRules: each(namedRule),
    excludeResourceRules: each(namedRule),
  });

/** Rejects DELETE: a deleted object cannot be mutated. The error has the path of no single rule. */
export const noDeletion: Rule<admissionregistrationV1.MatchResources> = ({ resourceRules = [] }, at, report) => {
  const place = at.field("resourceRules").field("operations");
  for (const operation of resourceRules.flatMap(({ operations = [] }) => operations)) {
    const isRefused = isExact(report) ? !MUTABLE.includes(operation) : operation === "DELETE";
    if (isRefused) report.notSupported(place, operation, MUTABLE);
  }
};

const MUTABLE: readonly string[] = ["*", "CONNECT", "CREATE", "UPDATE"];

/** Requires at least one resource rule, from which the types of expressions follow. */
export const someRules: Rule<admissionregistrationV1.MatchResources> = fields<admissionregistrationV1.MatchResources>({
  resourceRules: required(),
});

export const paramRef: Rule<admissionregistrationV1.ParamRef> = (ref, at, report) => {
  const { name = "", selector, parameterNotFoundAction } = ref;
  if (name !== "") pathSegment(name, at.field("name"), report);
  else if (selector === undefined) report.required(at, "one of name or selector must be specified");
  if (name !== "" && selector !== undefined) {
    for (const part of ["name", "selector"] as const)
      report.forbidden(at.field(part), "name and selector are mutually exclusive");
  }
  if (selector !== undefined) labelSelector(selector, at.field("selector"), report);
  notFoundAction(parameterNotFoundAction, at.field("parameterNotFoundAction"), report);
};

function notFoundAction(action: string | undefined, at: Place, report: Report): void {
  if (action === undefined || action === "") report.required(at);
  else oneOf("Allow", "Deny")(action, at, report);
}
