// Bounds a request by its timeout parameter. Source:
// staging/src/k8s.io/apiserver/pkg/endpoints/filters/request_deadline.go.
import { badRequest, parseGoDuration } from "@orch/machinery";
import { answerError, type Middleware } from "@orch/request";

/**
 * Returns the step that applies `timeout` to requests that are not long-running, when it is positive and shorter than
 * the timeout of the server. An invalid value is answered 400.
 */
export function requestTimeout(): Middleware {
  return (request, response, next) => {
    const { context } = request;
    const text = context.info.longRunning ? undefined : context.info.query?.get("timeout");
    if (!text) return next();
    const timeoutMs = parseGoDuration(text);
    if (timeoutMs === undefined) {
      const message = `invalid timeout specified in the request URL - time: invalid duration ${JSON.stringify(text)}`;
      return void answerError(response, badRequest(message));
    }
    if (timeoutMs > 0 && timeoutMs < context.timeoutMs) {
      context.timeoutMs = timeoutMs;
      context.timeoutFromClient = true;
      context.deadline = context.receivedAt + timeoutMs;
    }
    next();
  };
}
