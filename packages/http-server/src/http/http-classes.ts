// Express 5 replaces the prototype of every request and response, which takes 75 of its 100 µs per request and fails
// with HTTP/2. This server creates requests and responses from classes that already have Express's members, and calls
// the router directly: one Express application serves HTTP/1.1 and HTTP/2. Source:
// docs/architecture.md, "Request pipeline".
import { IncomingMessage, ServerResponse } from "node:http";
import { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { Socket } from "node:net";
import type { HttpRequest, HttpResponse } from "./exchange";
import { RequestQueue } from "./request-queue";

/** The four class options of `http2.createSecureServer`. */
export interface HttpClasses {
  readonly Http1IncomingMessage: typeof IncomingMessage;
  readonly Http1ServerResponse: typeof ServerResponse;
  readonly Http2ServerRequest: typeof Http2ServerRequest;
  readonly Http2ServerResponse: typeof Http2ServerResponse;
}

/**
 * The used part of an Express application. Its own type would require the types of Express from users of this package.
 */
export interface RoutedApplication {
  readonly request: object;
  readonly response: object;
  readonly router: unknown;
}

/** Classes of one application; created per application, because Express's members read `this.app`. */
export function httpClassesOf(app: RoutedApplication): HttpClasses {
  class Http1Request extends IncomingMessage {}
  class Http1Response<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {
    override assignSocket(socket: Socket): void {
      super.assignSocket(socket);
      RequestQueue.of(socket).begins(this);
    }

    override detachSocket(socket: Socket): void {
      super.detachSocket(socket);
      RequestQueue.of(socket).ends();
    }
  }
  class Http2Request extends Http2ServerRequest {}
  class Http2Response<R extends Http2ServerRequest = Http2ServerRequest> extends Http2ServerResponse<R> {}
  for (const type of [Http1Request, Http2Request]) adopt(type.prototype, Object.getPrototypeOf(app.request), app);
  for (const type of [Http1Response, Http2Response]) adopt(type.prototype, Object.getPrototypeOf(app.response), app);
  return {
    Http1IncomingMessage: Http1Request,
    Http1ServerResponse: Http1Response,
    Http2ServerRequest: Http2Request,
    Http2ServerResponse: Http2Response,
  };
}

/** `express.request` and `express.response` are plain objects whose own members are those that Express adds. */
function adopt(prototype: object, members: object, app: RoutedApplication): void {
  Object.defineProperties(prototype, Object.getOwnPropertyDescriptors(members));
  Object.defineProperty(prototype, "app", { configurable: true, enumerable: true, writable: true, value: app });
}

type RouterEntry = { handle(request: HttpRequest, response: HttpResponse, done: (error?: unknown) => void): void };

/**
 * Listener for the server: does what `app.handle` does, without replacing prototypes.
 * @param unhandled called when no middleware answered, or the last one failed
 */
export function listenerOf(
  app: RoutedApplication,
  unhandled: (request: HttpRequest, response: HttpResponse, error: unknown) => void,
): (request: HttpRequest, response: HttpResponse) => void {
  const router = app.router as RouterEntry;
  return (request, response) => {
    request.res = response;
    response.req = request;
    router.handle(request, response, (error) => unhandled(request, response, error));
  };
}
