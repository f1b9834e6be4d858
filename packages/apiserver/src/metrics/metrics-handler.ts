// GET /metrics: answers in the format that the scraper prefers, compressed when it accepts that.

import type { PathHandler } from "../handlers/dispatch";
import { answerObject } from "../handlers/object-answer";
import { parseAccept } from "../representations/accept-header";
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
