// The body is there before the request is worked on: a client that sends slowly, or not at all, takes no place among those in work.
import type { BodyBudget } from "../http/body-budget";
import { giveUpBody, mayHaveBody, receiveBody } from "../http/request-body";
import type { Middleware, Next } from "./request-context";

/** Nothing in the body of these is looked at. */
const READING_VERBS = new Set(["get", "list", "watch"]);

/** @param handler works on the request, and with its body until it is done */
export function wholeBody({ bodies }: { readonly bodies: BodyBudget }, handler: Middleware): Middleware {
  const receive = async (...[request, response, next]: Parameters<Middleware>): Promise<void> => {
    const { context } = request;
    if (context.awaitsContinue) response.writeContinue();
    try {
      context.body = await receiveBody(request, bodies);
    } catch (error) {
      giveUpBody(response);
      throw error;
    }
    try {
      await handler(request, response, next);
    } finally {
      context.body = NOTHING;
      bodies.giveBack(context.user.name, context.bodyBytes);
    }
  };

  return (request, response, next: Next) => {
    const { info, end } = request.context;
    // The client has left while it was found out who it is.
    if (end.aborted) return;
    const isRead = info.route !== undefined && !info.longRunning && !READING_VERBS.has(info.verb);
    // What comes after an upgrade is no body.
    if (isRead && request.upgraded === undefined && mayHaveBody(request)) return receive(request, response, next);
    return handler(request, response, next);
  };
}

const NOTHING = Buffer.alloc(0);
