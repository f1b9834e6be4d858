// Entry of a request, before the pipeline: creates its context, tracks it until its end, and records errors of its
// headers for the step that answers. Under load, work begins after everything that one turn of the event loop has
// brought is read: reading and working then each find their code and data in the processor's caches, and clients wake
// up for many answers at once. Reading and working one by one makes a get half as expensive again.

import { type Expectation, headersAreTooLarge, type OpenConnections, type RequestListener } from "@orch/http-server";
import { routerMethodNotAllowed, StatusError } from "@orch/machinery";
import { type ApiRequest, type ApiResponse, type Negotiation, RequestContext } from "@orch/request";
import type { ActiveRequests } from "./active-requests";

/** Up to this number of requests work begins at once, because batching gains nothing. */
const FEW = 2;

export interface EntryDeps {
  readonly negotiation: Negotiation;
  readonly connections: OpenConnections;
  readonly active: ActiveRequests;
  /** The pipeline. Must not throw: there is no caller to handle an error. */
  route(request: ApiRequest, response: ApiResponse): void;
}

export function requestEntry({ negotiation, connections, active, route }: EntryDeps): RequestListener {
  function begin(request: ApiRequest, response: ApiResponse): void {
    // Otherwise the client has left meanwhile.
    if (!request.context.end.aborted) request.context.worked(() => route(request, response));
  }

  return (entering, leaving, expects) => {
    const [request, response] = [entering as ApiRequest, leaving as ApiResponse];
    // An error without a listener would end the process.
    response.on("error", ignore);
    const connection = connections.of(request);
    if (connection === undefined) {
      response.destroy();
      return;
    }
    const context = new RequestContext(negotiation, connection);
    request.context = context;
    response.req = request;
    active.enter(response);
    readHead(request, context, expects);
    if (active.shortOnes <= FEW) begin(request, response);
    else setImmediate(begin, request, response);
  };
}

function ignore(): void {}

function readHead(request: ApiRequest, context: RequestContext, expects: Expectation | undefined): void {
  const { method = "", url = "" } = request;
  context.target = url;
  if (request.httpVersionMajor !== (overHttp2(request) ? 2 : 1)) context.refusal = unknownVersion(request);
  else if (method === "CONNECT") context.refusal = routerMethodNotAllowed();
  else if (overHttp2(request) && headersAreTooLarge(request.rawHeaders)) context.refusal = tooLarge();
  else if (expects === "unknown") context.refusal = unknownExpectation();
  else if (expects === "continue") context.awaitsContinue = true;
  // The router cannot parse other targets. No decision depends on what it parses.
  if (url.charCodeAt(0) !== SLASH) request.url = "/";
}

const SLASH = 47;

/** Checks for the stream, whatever HTTP version the request line names. */
const overHttp2 = (request: ApiRequest): boolean => "stream" in request;

const unknownVersion = ({ httpVersion }: ApiRequest): StatusError =>
  new StatusError("", `HTTP/${httpVersion} is not supported`, undefined, { code: 505 });

const tooLarge = (): StatusError =>
  new StatusError("", "the request could not be read: Request Header Fields Too Large", undefined, { code: 431 });

const unknownExpectation = (): StatusError =>
  new StatusError("", "Expect: must be 100-continue", undefined, { code: 417 });
