// The body is there before the request is worked on: a client that sends slowly, or not at all, takes no place among those in work.
import type { BodyBudget } from "../http/body-budget";
import { giveUpBody, mayHaveBody, receiveBody } from "../http/request-body";
import type { ApiRequest, Middleware, RequestContext } from "./request-context";
import type { RequestInfo } from "./request-info";

/** Nothing in the body of these is looked at. */
const READING_VERBS = new Set(["get", "list", "watch"]);

/** @param handler works on the request, and with its body until it is done */
export function wholeBody({ bodies }: { readonly bodies: BodyBudget }, handler: Middleware): Middleware {
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
    // The client has left while it was found out who it is.
    if (context.end.aborted) return;
    if (!isAwaited(request)) return handler(request, response, next);
    if (context.awaitsContinue) response.writeContinue();
    receiveBody(request, bodies, (failure) => {
      if (failure === undefined) {
        work(request, response, next);
        return;
      }
      giveUpBody(response);
      next(failure);
    });
  };
}

function isAwaited(request: ApiRequest): boolean {
  const { info } = request.context;
  // What comes after an upgrade is no body.
  if (info.longRunning || request.upgraded !== undefined) return false;
  return (info.route !== undefined || mayBeDefined(info)) && !READING_VERBS.has(info.verb) && mayHaveBody(request);
}

/** What has just been defined is known a moment later, and is then asked with its body. */
const mayBeDefined = (info: RequestInfo): boolean =>
  info.kind === "unserved" && info.group !== "" && info.allowed === undefined;

const NOTHING = Buffer.alloc(0);
