// Conversion webhooks as this server reaches them: services by their address, calls counted.
import { type ConverterFactory, webhookConverters } from "@orch/extensions";
import { ANY, serviceUnavailable } from "@orch/machinery";
import type { ResourceStorage } from "@orch/registry";
import type { coreV1, Vocabulary } from "@orch/schema";
import type { ServerMetrics } from "../metrics/server-metrics";

export interface ConversionWebhookParts {
  readonly vocabulary: Vocabulary;
  /** Of services. */
  readonly services: ResourceStorage;
  readonly metrics: ServerMetrics;
}

export function conversionWebhooks({ vocabulary, services, metrics }: ConversionWebhookParts): ConverterFactory {
  const calls = metrics.histogram("apiserver_crd_webhook_conversion_duration_seconds");
  return webhookConverters({
    vocabulary,
    resolve: async ({ namespace, name, port }) => {
      const { spec } = (await services.get({ namespace, name }, ANY)).object() as unknown as coreV1.Service;
      const { type, clusterIP = "", externalName = "", ports } = spec ?? {};
      if (type === "ExternalName") return { host: externalName, port };
      if (clusterIP === "" || clusterIP === "None") throw serviceUnavailable(`service ${name} has no address`);
      if (!(ports ?? []).some((each) => each.port === port))
        throw serviceUnavailable(`service ${name} has no port ${port}`);
      return { host: clusterIP, port };
    },
    observe: ({ definition, from, to, succeeded, seconds }) =>
      calls
        .labels({ crd_name: definition, from_version: from, to_version: to, succeeded: String(succeeded) })
        .observe(seconds),
  });
}
