// Limits the requests in flight. A request holds its place while its handler works, not while its client sends or
// reads. A request reaches this step authenticated, authorized and with its whole body, and continues to its handler.
import type { InFlightControl, ReleaseSeat } from "@orch/flow-control";
import { answerText } from "@orch/http-server";
import type { ServerMetrics } from "@orch/observability";
import type { ApiResponse, Middleware, RequestInfo } from "@orch/request";
import { isProbe } from "./probes";
import { placeLabels } from "./request-records";

/** @param handler runs while the request holds its place */
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
    // The client has left while the request waited.
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
          // The client may have left while the request waited.
          else resolve(context.end.aborted ? undefined : refuse(response));
        } catch (error) {
          reject(error);
        }
      });
    });
  };
}

/**
 * Whether the handler finishes when the response begins. Handlers of watches do; those of connections and of watches at
 * aggregated API servers finish when the stream is over.
 */
const beginsHere = ({ kind, verb, route }: RequestInfo): boolean =>
  verb === "watch" && (route !== undefined || kind === "several");

type Work = (leave: ReleaseSeat, ...of: Parameters<Middleware>) => void | Promise<void>;
