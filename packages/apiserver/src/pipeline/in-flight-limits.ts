// How many requests may be worked on at once: reading and mutating ones apart. After authentication, because the privileged
// group gets in even when full: it is how a flooded server is repaired. Source: facts, http.md "Limits".
import { PRIVILEGED_GROUP } from "@orch/auth";
import { answerText } from "../http/answer";
import { placeLabels } from "../metrics/request-records";
import type { ServerMetrics } from "../metrics/server-metrics";
import type { ApiResponse, Middleware } from "./request-context";

type Kind = "readOnly" | "mutating";

export interface InFlightOptions {
  /** 0: no limit. */
  readonly maxReading: number;
  readonly maxMutating: number;
  readonly metrics: ServerMetrics;
}

const READING_VERBS = new Set(["get", "list", "watch"]);
/** The gauge shows the highest number of each such time. */
const WATERMARK_MS = 1000;

export class InFlightLimits {
  private readonly now = { readOnly: 0, mutating: 0 };
  private readonly highest = { readOnly: 0, mutating: 0 };
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: InFlightOptions) {}

  step(): Middleware {
    const { now, highest } = this;
    const max = { readOnly: this.options.maxReading, mutating: this.options.maxMutating };
    const dropped = this.options.metrics.counter("apiserver_dropped_requests_total");
    const terminations = this.options.metrics.counter("apiserver_request_terminations_total");

    function leave(this: ApiResponse): void {
      now[this.req.context.flight] -= 1;
    }

    return (request, response, next) => {
      const { context } = request;
      if (context.info.longRunning) {
        next();
        return;
      }
      const kind: Kind = READING_VERBS.has(context.info.verb) ? "readOnly" : "mutating";
      if (max[kind] > 0 && now[kind] >= max[kind] && !context.user.groups.includes(PRIVILEGED_GROUP)) {
        dropped.inc({ request_kind: kind });
        terminations.inc({ ...placeLabels(request.method ?? "", context), code: "429" });
        response.setHeader("Retry-After", "1");
        answerText(response, 429, "Too many requests, please try again later.\n");
        return;
      }
      context.flight = kind;
      now[kind] += 1;
      if (now[kind] > highest[kind]) highest[kind] = now[kind];
      response.on("close", leave);
      next();
    };
  }

  /** Shows the watermarks in the metrics from now on. */
  start(): void {
    const gauge = this.options.metrics.gauge("apiserver_current_inflight_requests");
    this.timer = setInterval(() => {
      for (const kind of ["readOnly", "mutating"] as const) {
        gauge.set({ request_kind: kind }, this.highest[kind]);
        this.highest[kind] = this.now[kind];
      }
    }, WATERMARK_MS).unref();
  }

  close(): void {
    clearInterval(this.timer);
  }
}
