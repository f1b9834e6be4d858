// Metrics and log lines of admission webhooks. Source: staging/src/k8s.io/apiserver/pkg/admission/metrics/metrics.go.
import type { CalledWebhook, WebhookObserver } from "@orch/admission";
import type { BucketSeries } from "@orch/platform";
import type { Logger } from "../logging/logger";
import type { ServerMetrics } from "./server-metrics";

/** Calls that take longer are logged. */
const SLOW_SECONDS = 0.5;
/** Failures within this interval share one log line. */
const TELL_EVERY_MS = 5_000;
/** Webhooks may reject with any code; this code and larger ones share one label value. */
const CODE_MAX = 600;

interface Outcome {
  readonly duration: BucketSeries;
  readonly count: { inc(): void };
}

export function webhookObserver(metrics: ServerMetrics, logger: Logger): WebhookObserver {
  const durations = metrics.histogram("apiserver_admission_webhook_admission_duration_seconds");
  const rejections = metrics.counter("apiserver_admission_webhook_rejection_count");
  const failOpen = metrics.counter("apiserver_admission_webhook_fail_open_count");
  const requests = metrics.counter("apiserver_admission_webhook_request_total");
  const conditionErrors = metrics.counter("apiserver_admission_match_condition_evaluation_errors_total");
  const exclusions = metrics.counter("apiserver_admission_match_condition_exclusions_total");
  const conditionSeconds = metrics.histogram("apiserver_admission_match_condition_evaluation_seconds");
  const place = ({ name, type, operation }: CalledWebhook) => ({ name, type, operation });
  const condition = (webhook: CalledWebhook) => ({ ...place(webhook), kind: "webhook" });
  let toldMs = Number.NEGATIVE_INFINITY;
  /** Logs rarely: a webhook that is down fails with every request. */
  const warn = (text: string, webhook: CalledWebhook, why: string): void => {
    if (performance.now() - toldMs < TELL_EVERY_MS) return;
    toldMs = performance.now();
    logger.warn(text, { ...webhook, why });
  };
  const outcomes = new WeakMap<CalledWebhook, Map<number, Outcome>>();
  /** Returns the series of an outcome. Label sets are resolved once. */
  function outcomeOf(webhook: CalledWebhook, code: number, rejected: boolean): Outcome {
    let known = outcomes.get(webhook);
    if (known === undefined) {
      known = new Map();
      outcomes.set(webhook, known);
    }
    const key = code * 2 + Number(rejected);
    let found = known.get(key);
    if (found === undefined) {
      const labels = { ...place(webhook), rejected: String(rejected) };
      found = { duration: durations.labels(labels), count: requests.labels({ ...labels, code: String(code) }) };
      known.set(key, found);
    }
    return found;
  }
  return {
    called(webhook, { seconds, rejected, code }) {
      const { duration, count } = outcomeOf(webhook, Math.min(code, CODE_MAX), rejected);
      duration.observe(seconds);
      count.inc();
      if (seconds > SLOW_SECONDS) logger.info("an admission webhook was slow", { ...webhook, seconds });
    },
    rejected(webhook, { kind, code, why }) {
      const rejection_code = String(Math.min(code, CODE_MAX));
      rejections.inc({ ...place(webhook), error_type: kind, rejection_code });
      if (kind !== "no_error") warn("an admission webhook failed, and the request with it", webhook, why);
    },
    failedOpen(webhook, why) {
      const { name, type } = webhook;
      failOpen.inc({ name, type });
      warn("an admission webhook failed, and the request went on without it", webhook, why);
    },
    conditionsEvaluated: (webhook, seconds) => conditionSeconds.labels(condition(webhook)).observe(seconds),
    conditionsFailed: (webhook) => conditionErrors.inc(condition(webhook)),
    conditionsExcluded: (webhook) => exclusions.inc(condition(webhook)),
  };
}
