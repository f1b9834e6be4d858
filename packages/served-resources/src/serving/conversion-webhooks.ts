// Calls of conversion webhooks: resolves service addresses and counts calls.
import {
  type ConverterFactory,
  type ConverterParts,
  type DialGuard,
  networkOf,
  type ServiceResolver,
  webhookConverters,
} from "@orch/extensions";
import type { ServerMetrics } from "@orch/observability";
import type { EgressSelector } from "@orch/platform";
import type { Vocabulary } from "@orch/schema";

export interface ConversionWebhookParts {
  readonly vocabulary: Vocabulary;
  readonly resolve: ServiceResolver;
  readonly guard: DialGuard;
  readonly egress: EgressSelector;
  readonly metrics: ServerMetrics;
}

export const conversionWebhooks = (parts: ConversionWebhookParts): ConverterFactory =>
  webhookConverters(converterParts(parts));

export function converterParts({
  vocabulary,
  resolve,
  guard,
  egress,
  metrics,
}: ConversionWebhookParts): ConverterParts {
  const byDefinition = (
    ["apiserver_crd_webhook_conversion_duration_seconds", "apiserver_crd_conversion_webhook_duration_seconds"] as const
  ).map((name) => metrics.histogram(name));
  const requests = metrics.counter("apiserver_conversion_webhook_request_total");
  const seconds = metrics.histogram("apiserver_conversion_webhook_duration_seconds");
  return {
    vocabulary,
    resolve,
    guard,
    dialerOf: (place) => egress.dialer(networkOf(place)),
    observe({ definition, from, to, succeeded, failure, seconds: took }) {
      const place = { crd_name: definition, from_version: from, to_version: to, succeeded: String(succeeded) };
      for (const calls of byDefinition) calls.labels(place).observe(took);
      const outcome = failure === undefined ? SUCCESS : { result: "failure", failure_type: FAILURES[failure] };
      requests.inc(outcome);
      seconds.labels(outcome).observe(took);
    },
  };
}

const SUCCESS = { result: "success", failure_type: "" };
/** Source: staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/conversion/metrics.go. */
const FAILURES = {
  call: "conversion_webhook_call_failure",
  answer: "conversion_webhook_malformed_response_failure",
} as const;
