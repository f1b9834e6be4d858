// GET /metrics: answers in the format that the scraper prefers, compressed when it accepts that.

import { parseAccept } from "@orch/machinery";
import {
  OPEN_METRICS_TYPE,
  openMetricsText,
  PLAIN_METRICS_TYPE,
  type ServerMetrics,
  wantsOpenMetrics,
} from "@orch/observability";
import type { PathHandler } from "./dispatch";
import { answerObject } from "./object-answer";

export function metricsHandler(metrics: Pick<ServerMetrics, "render">): PathHandler {
  return async ({ headers }, response) => {
    const text = await metrics.render(performance.now());
    return wantsOpenMetrics(parseAccept(headers.accept ?? ""))
      ? answerObject(response, 200, OPEN_METRICS_TYPE, Buffer.from(openMetricsText(text)))
      : answerObject(response, 200, PLAIN_METRICS_TYPE, Buffer.from(text));
  };
}
