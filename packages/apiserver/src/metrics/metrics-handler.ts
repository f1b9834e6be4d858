// GET /metrics: in the form that the scraper prefers, compressed for those that take it.
import { parseAccept } from "../handlers/accept-header";
import type { PathHandler } from "../handlers/dispatch";
import { answerObject } from "../handlers/object-answer";
import { OPEN_METRICS_TYPE, openMetricsText, PLAIN_METRICS_TYPE, wantsOpenMetrics } from "./open-metrics";
import type { ServerMetrics } from "./server-metrics";

export function metricsHandler(metrics: ServerMetrics): PathHandler {
  return async ({ headers }, response) => {
    const text = await metrics.render(performance.now());
    return wantsOpenMetrics(parseAccept(headers.accept ?? ""))
      ? answerObject(response, 200, OPEN_METRICS_TYPE, Buffer.from(openMetricsText(text)))
      : answerObject(response, 200, PLAIN_METRICS_TYPE, Buffer.from(text));
  };
}
