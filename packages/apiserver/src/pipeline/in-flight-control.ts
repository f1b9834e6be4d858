// Which requests are worked on now, and which must wait or come again. A request has its place for as long as its handler works, not
// while its client sends or reads; it comes here known, allowed and with its whole body, and goes on to its handler.
import { answerText } from "../http/answer";
import { placeLabels } from "../metrics/request-records";
import type { ServerMetrics } from "../metrics/server-metrics";
import { isProbe } from "./probes";
import type { ApiResponse, Middleware, RequestContext } from "./request-context";
import type { RequestInfo } from "./request-info";

/** Decides it. */
export interface InFlightControl {
  /** @returns what gives the place back, to be called once; undefined for a request that is refused; something else where it must wait */
  admit(context: RequestContext): Leave | undefined | Awaited;
  /** Whether a watch, too, has a place: until it has begun. */
  readonly countsWatches: boolean;
  /** Shows figures of its own in the metrics from now on. */
  start(): void;
  close(): void;
}

export type Leave = () => void;

export interface Awaited {
  /** @param settled called once, with what `admit` gives those that do not wait; it works until it has to wait itself */
  whenSettled(settled: (leave: Leave | undefined) => void): void;
}

/** @param handler works in the place that the request is given */
export function inFlight(
  { inFlight: control, metrics }: { readonly inFlight: InFlightControl; readonly metrics: ServerMetrics },
  handler: Middleware,
): Middleware {
  const terminations = metrics.counter("apiserver_request_terminations_total");

  function refuse(response: ApiResponse): void {
    const { method = "", context } = response.req;
    terminations.inc({ ...placeLabels(method, context), code: "429" });
    response.setHeader("Retry-After", "1");
    answerText(response, 429, "Too many requests, please try again later.\n");
  }

  const work: Work = (leave, request, response, next) => {
    const { context } = request;
    // The client has left while it waited.
    if (context.end.aborted) {
      leave();
      return;
    }
    context.end.place = leave;
    let working: unknown;
    try {
      working = handler(request, response, next);
    } catch (error) {
      context.leaveWork();
      throw error;
    }
    if (!(working instanceof Promise)) {
      context.leaveWork();
      return;
    }
    return working.then(
      () => context.leaveWork(),
      (error: unknown) => {
        context.leaveWork();
        throw error;
      },
    );
  };

  return (request, response, next) => {
    const { context } = request;
    const { info } = context;
    if (info.longRunning && !(control.countsWatches && beginsHere(info))) return handler(request, response, next);
    if (info.kind === "path" && isProbe(info.path)) return handler(request, response, next);
    const admitted = control.admit(context);
    if (admitted === undefined) return refuse(response);
    if (typeof admitted === "function") return work(admitted, request, response, next);
    return new Promise((resolve, reject) => {
      admitted.whenSettled((leave) => {
        try {
          if (leave !== undefined) resolve(work(leave, request, response, next));
          // The client may have left while it waited.
          else resolve(context.end.aborted ? undefined : refuse(response));
        } catch (error) {
          reject(error);
        }
      });
    });
  };
}

/** The handler of a watch is done when it has begun. Those of connections and of other servers' watches are done when they are over. */
const beginsHere = ({ verb, route }: RequestInfo): boolean => verb === "watch" && route !== undefined;

type Work = (leave: Leave, ...of: Parameters<Middleware>) => void | Promise<void>;
