// Observability of the API server: its log, its metrics and its health checks.

export { answerHealth } from "./health/health-answer";
export { ALL_ENDPOINTS, bounded, type HealthCheck, HealthChecks, ROUND_TRIP_GOOD_MS } from "./health/health-checks";
export { HealthIndicators } from "./health/health-indicators";
export { type StartHooks, startHookChecks, startHooks } from "./health/start-hooks";
export { createLogger, type Logger, SILENT } from "./logging/logger";
export { admissionObserver } from "./metrics/admission-timings";
export { AllocationFigures } from "./metrics/allocation-figures";
export { compactionFigures } from "./metrics/compaction-figures";
export { GoneResources } from "./metrics/gone-resources";
export { OPEN_METRICS_TYPE, openMetricsText, PLAIN_METRICS_TYPE, wantsOpenMetrics } from "./metrics/open-metrics";
export { podSecurityCounts } from "./metrics/pod-security-counts";
export { policyObserver } from "./metrics/policy-observer";
export { PolledFigures } from "./metrics/polled-figures";
export { queueFigures } from "./metrics/queue-figures";
export { ServerMetrics } from "./metrics/server-metrics";
export { tokenCacheFigures } from "./metrics/token-cache-figures";
export { watchObserver } from "./metrics/watch-observer";
export { webhookObserver } from "./metrics/webhook-observer";
export { openTracing } from "./tracing/open-tracing";
export type { RequestTracer } from "./tracing/request-tracer";
