// Validation of admission policies and their bindings. Expressions are compiled elsewhere. Source: KEP-3488, "CEL for
// Admission Control".

import {
  all,
  conditions,
  each,
  exactly,
  fields,
  isExact,
  oneOf,
  present,
  qualifiedName,
  type Rule,
  required,
  subdomain,
  unique,
  updateValidator,
  validator,
} from "@orch/apis-model";
import type { admissionregistrationV1 } from "@orch/schema";
import {
  expression,
  failurePolicy,
  matchConditions,
  matchResources,
  noDeletion,
  paramKind,
  paramRef,
  someRules,
  variables,
} from "./policy-rules";

const ANNOTATIONS_MAX = 20;
const VALUE_EXPRESSION_MAX_BYTES = 5 * 1024;
const LINE_BREAK = /[\n\r]/;

const validation: Rule<admissionregistrationV1.Validation> = all(
  fields<admissionregistrationV1.Validation>({
    expression: required(expression),
    messageExpression(text, at, report) {
      if (text !== "" && text.trim() === "") report.invalid(at, text, "must be non-empty if specified");
    },
    message(text, at, report) {
      if (text !== "" && text.trim() === "") report.invalid(at, text, "message must be non-empty if specified");
      else if (LINE_BREAK.test(text.trim())) report.invalid(at, text, "message must not contain line breaks");
    },
    reason: oneOf("Forbidden", "Invalid", "RequestEntityTooLarge"),
  }),
  ({ expression: text = "", message = "", messageExpression = "" }, at, report) => {
    if (LINE_BREAK.test(text.trim()) && message.trim() === "" && messageExpression.trim() === "")
      report.required(at.field("message"), "message must be specified if expression contains line breaks");
  },
);

const auditAnnotation = fields<admissionregistrationV1.AuditAnnotation>({
  key: exactly(() => undefined, required()),
  valueExpression: required((text, at, report) => {
    if (text.trim() === "") report.required(at, "valueExpression is not specified");
    else if (Buffer.byteLength(text) > VALUE_EXPRESSION_MAX_BYTES) report.tooLong(at, VALUE_EXPRESSION_MAX_BYTES);
  }),
});

const SOMETHING = "validations or auditAnnotations must contain at least one item";

const validatingSpec: Rule<admissionregistrationV1.ValidatingAdmissionPolicySpec> = all(
  fields<admissionregistrationV1.ValidatingAdmissionPolicySpec>({
    failurePolicy: present(failurePolicy),
    paramKind,
    matchConstraints: required(all(matchResources, someRules)),
    matchConditions,
    variables,
    validations: each(validation),
    auditAnnotations: all(
      (list, at, report) => {
        if (list.length > ANNOTATIONS_MAX)
          report.invalid(at, list, `must not have more than ${ANNOTATIONS_MAX} auditAnnotations`);
      },
      each(auditAnnotation),
      unique<admissionregistrationV1.AuditAnnotation>(({ key }) => key, { field: "key" }),
    ),
  }),
  ({ validations = [], auditAnnotations = [] }, at, report) => {
    if (validations.length + auditAnnotations.length > 0) return;
    for (const part of ["validations", "auditAnnotations"]) report.required(at.field(part), SOMETHING);
  },
);

const mutation: Rule<admissionregistrationV1.Mutation> = (value, at, report) => {
  const { patchType, applyConfiguration, jsonPatch } = value;
  fields<admissionregistrationV1.Mutation>({ patchType: required(oneOf("ApplyConfiguration", "JSONPatch")) })(
    value,
    at,
    report,
  );
  const members = { ApplyConfiguration: applyConfiguration, JSONPatch: jsonPatch } as const;
  if (patchType !== "ApplyConfiguration" && patchType !== "JSONPatch") return;
  for (const [type, given] of Object.entries(members)) {
    const name = FIELD[type as keyof typeof FIELD];
    const place = at.field(name);
    if (type === patchType) {
      if (given === undefined) report.required(place, `must be specified when patchType is ${type}`);
      else if ((given.expression ?? "").trim() === "")
        report.required(place.field("expression"), "expression is not specified");
    } else if (given !== undefined)
      report.invalid(place, `{${name}}`, `must not be specified when patchType is ${patchType}`);
  }
};

const FIELD = { ApplyConfiguration: "applyConfiguration", JSONPatch: "jsonPatch" } as const;

const mutatingSpec = fields<admissionregistrationV1.MutatingAdmissionPolicySpec>({
  failurePolicy: present(failurePolicy),
  paramKind,
  matchConstraints: required(all(matchResources, noDeletion, someRules)),
  matchConditions,
  variables,
  mutations: required(each(mutation)),
  reinvocationPolicy: present(oneOf("IfNeeded", "Never")),
});

const actions: Rule<readonly string[]> = all(
  each(oneOf("Audit", "Deny", "Warn")),
  unique<string>((action) => action),
  (list, at, report) => {
    if (list.includes("Deny") && list.includes("Warn"))
      report.invalid(
        at,
        list,
        "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)",
      );
  },
);

const validatingBinding = fields<admissionregistrationV1.ValidatingAdmissionPolicyBindingSpec>({
  policyName: required(subdomain),
  paramRef,
  matchResources,
  validationActions: required(actions),
});

const mutatingBinding = fields<admissionregistrationV1.MutatingAdmissionPolicyBindingSpec>({
  policyName: required(subdomain),
  paramRef,
  matchResources: all(matchResources, noDeletion),
});

function specRule<T extends object>(rule: Rule<T>): Rule<{ readonly spec?: T }> {
  const spec = required(rule);
  return (object, at, report) => {
    if (object.spec === undefined) spec.whenAbsent?.(at.field("spec"), report);
    else spec(object.spec, at.field("spec"), report);
  };
}

const ofSpec = <T extends object>(rule: Rule<T>) => validator(specRule(rule));

/** Requires audit annotation keys that are qualified names when prefixed with the name of the policy. */
const auditKeys: Rule<admissionregistrationV1.ValidatingAdmissionPolicy> = ({ metadata, spec }, at, report) => {
  const place = at.field("spec").field("auditAnnotations");
  for (const [position, { key }] of (spec?.auditAnnotations ?? []).entries()) {
    if (key || isExact(report))
      qualifiedName(`${metadata?.name ?? ""}/${key ?? ""}`, place.item(position).field("key"), report);
  }
};

export const validateValidatingPolicy = validator(
  all<admissionregistrationV1.ValidatingAdmissionPolicy>(specRule(validatingSpec), auditKeys),
);

const warning = fields<admissionregistrationV1.ExpressionWarning>({ fieldRef: required(), warning: required() });

const validatingStatus = fields<admissionregistrationV1.ValidatingAdmissionPolicyStatus>({
  typeChecking: fields<admissionregistrationV1.TypeChecking>({ expressionWarnings: each(warning) }),
  conditions,
});

export const validateValidatingPolicyStatus = updateValidator<admissionregistrationV1.ValidatingAdmissionPolicy>(
  ({ status }, _old, at, report) => {
    if (status !== undefined) validatingStatus(status, at.field("status"), report);
  },
);

export const validateMutatingPolicy = ofSpec(mutatingSpec);
export const validateValidatingPolicyBinding = ofSpec(validatingBinding);
export const validateMutatingPolicyBinding = ofSpec(mutatingBinding);
