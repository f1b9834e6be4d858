// Opens tracing. The libraries that sample and export spans are loaded only when it is configured.

import { type Log, messageOf } from "@orch/platform";
import type { TracingConfiguration } from "@orch/server-config";
import type { RequestTracer } from "./request-tracer";

export interface TracingParts {
  readonly configuration: TracingConfiguration | undefined;
  readonly logger: Log;
  /** Identity of this server among its replicas. */
  readonly instance: string;
}

/** @returns undefined when tracing is off */
export function openTracing({ configuration, logger, instance }: TracingParts): RequestTracer | undefined {
  if (configuration === undefined) return undefined;
  const { OtlpTracer } = require("./otlp-tracer") as typeof import("./otlp-tracer");
  return new OtlpTracer(configuration, instance, (error) =>
    logger.warn("traces could not be exported: their spans are lost", {
      endpoint: configuration.endpoint,
      error: messageOf(error),
    }),
  );
}
