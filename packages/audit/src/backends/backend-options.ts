// Reads the options of one audit backend from the flags.

import { type AuditSinkName, type ServerConfig, sinkOptions } from "@orch/server-config";
import { AUDIT_MODES, type BackendOptions } from "./backend";

export function backendOptions(config: ServerConfig, sink: AuditSinkName): BackendOptions {
  const of = sinkOptions(config, sink);
  const cuts = of["truncate-enabled"];
  return {
    mode: AUDIT_MODES.find((mode) => mode === of.mode) ?? "batch",
    batches: {
      waitingMax: of["batch-buffer-size"],
      batchMax: of["batch-max-size"],
      waitMs: of["batch-max-wait"],
      ...(of["batch-throttle-enable"] && {
        rate: { perSecond: of["batch-throttle-qps"], burst: of["batch-throttle-burst"] },
      }),
      ...(cuts && { batchMaxBytes: of["truncate-max-batch-size"] }),
    },
    eventMaxBytes: cuts ? of["truncate-max-event-size"] : undefined,
  };
}
