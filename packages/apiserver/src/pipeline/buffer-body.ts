// Reads the whole body before the request is worked on, so that a client that sends slowly holds no place in flight.
import { type BodyBudget, giveUpBody, mayHaveBody, receiveBody } from "@orch/http-server";
import type { ApiRequest, Middleware, RequestContext, RequestInfo } from "@orch/request";

/** Verbs whose body is ignored. */
const READING_VERBS = new Set(["get", "list", "watch"]);

/** @param handler runs with the complete body, which is held until it is done */
export function bufferBody({ bodies }: { readonly bodies: BodyBudget }, handler: Middleware): Middleware {
  function drop(context: RequestContext): void {
    context.audit?.keepBody(context.body);
    context.body = NOTHING;
    bodies.giveBack(context.user.name, context.bodyBytes);
  }

  function work(...[request, response, next]: Parameters<Middleware>): void {
    const { context } = request;
    const fail = (error: unknown): void => {
      drop(context);
      next(error);
    };
    let working: unknown;
    try {
      working = handler(request, response, next);
    } catch (error) {
      fail(error);
      return;
    }
    if (working instanceof Promise) working.then(() => drop(context), fail);
    else drop(context);
  }

  return (request, response, next) => {
    const { context } = request;
    // The client has left during authentication.
    if (context.end.aborted) return;
    if (!isAwaited(request)) return handler(request, response, next);
    if (context.awaitsContinue) response.writeContinue();
    receiveBody(request, bodies, (failure) => {
      if (failure === undefined) {
        context.worked(() => work(request, response, next));
        return;
      }
      giveUpBody(response);
      next(failure);
    });
  };
}

function isAwaited(request: ApiRequest): boolean {
  const { info } = request.context;
  // The bytes after an upgrade are no body.
  if (info.longRunning || request.upgraded !== undefined) return false;
  return (info.route !== undefined || mayBeDefined(info)) && !READING_VERBS.has(info.verb) && mayHaveBody(request);
}

/** Whether the path may belong to a resource whose definition arrives within the request; its body is needed then. */
const mayBeDefined = (info: RequestInfo): boolean =>
  info.kind === "unserved" && info.group !== "" && info.allowed === undefined;

const NOTHING = Buffer.alloc(0);
