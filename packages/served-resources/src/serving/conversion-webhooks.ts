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
  const calls = metrics.histogram("apiserver_crd_webhook_conversion_duration_seconds");
  return {
    vocabulary,
    resolve,
    guard,
    dialerOf: (place) => egress.dialer(networkOf(place)),
    observe: ({ definition, from, to, succeeded, seconds }) =>
      calls
        .labels({ crd_name: definition, from_version: from, to_version: to, succeeded: String(succeeded) })
        .observe(seconds),
  };
}
