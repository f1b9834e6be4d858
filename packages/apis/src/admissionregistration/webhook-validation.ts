// Validation of admission webhooks. v1 is stricter than v1beta1, and an update need not correct violations of the
// stored object. Source: pkg/apis/admissionregistration/validation/validation.go.

import {
  all,
  each,
  fields,
  fullyQualifiedName,
  labelSelector,
  oneOf,
  present,
  type Report,
  type Rule,
  rangeOf,
  required,
  reviewVersions,
  speaksReviews,
  unique,
  updateValidator,
  validator,
  webhookClient,
} from "@orch/apis-model";
import type { admissionregistrationV1 } from "@orch/schema";
import { matchConditions } from "./policy-rules";
import { webhookRule } from "./webhook-rule-validation";

/** Fields of both kinds of webhooks, and the reinvocation policy that only mutating ones have. */
type Webhook = admissionregistrationV1.MutatingWebhook;

interface Configuration {
  readonly webhooks?: readonly Webhook[];
}

/** Rules to enforce of those that stored objects may violate. */
interface Strictness {
  readonly distinctNames: boolean;
  readonly noSideEffects: boolean;
  readonly knownReviews: boolean;
}

export const validateNewWebhooks = validator<Configuration>((configuration, at, report) => {
  const strict = isV1(report);
  configurationRule({ distinctNames: strict, noSideEffects: strict, knownReviews: true })(configuration, at, report);
});

export const validateWebhooksUpdate = updateValidator<Configuration>((configuration, old, at, report) => {
  const strict = isV1(report);
  const { webhooks: before = [] } = old;
  configurationRule({
    distinctNames: strict && new Set(before.map(({ name }) => name)).size === before.length,
    noSideEffects: strict && before.every(({ sideEffects }) => WITHOUT_SIDE_EFFECTS.includes(sideEffects ?? "")),
    knownReviews: before.every(({ admissionReviewVersions: spoken }) => !spoken?.length || speaksReviews(spoken)),
  })(configuration, at, report);
});

const isV1 = ({ version }: Report): boolean => version.version === "v1";

const WITHOUT_SIDE_EFFECTS = ["None", "NoneOnDryRun"];

const sideEffects = {
  none: oneOf(...WITHOUT_SIDE_EFFECTS),
  any: oneOf(...WITHOUT_SIDE_EFFECTS, "Some", "Unknown"),
} as const;

const TIMEOUT_SECONDS = rangeOf(1, 30);

function configurationRule({ distinctNames, noSideEffects, knownReviews }: Strictness): Rule<Configuration> {
  const webhook = fields<Webhook>({
    name: required(fullyQualifiedName),
    rules: each(webhookRule),
    failurePolicy: oneOf("Fail", "Ignore"),
    matchPolicy: oneOf("Equivalent", "Exact"),
    sideEffects: present(noSideEffects ? sideEffects.none : sideEffects.any),
    timeoutSeconds: TIMEOUT_SECONDS,
    namespaceSelector: labelSelector,
    objectSelector: labelSelector,
    reinvocationPolicy: oneOf("IfNeeded", "Never"),
    admissionReviewVersions: required(reviewVersions(knownReviews)),
    clientConfig: webhookClient,
    matchConditions,
  });
  const webhooks = each(webhook);
  const names = unique<Webhook>(({ name }) => name, { field: "name" });
  return fields<Configuration>({ webhooks: distinctNames ? all(webhooks, names) : webhooks });
}
