// Where a request enters, before the pipeline: it is given its context and looked after from here to its end, and what its head
// asks for is brought into the one form that the pipeline knows.
import { routerMethodNotAllowed, StatusError } from "@orch/machinery";
import type { Negotiation } from "../handlers/content-negotiation";
import { answerNothing } from "../http/answer";
import type { OpenConnections } from "../http/open-connections";
import { parseTarget } from "../http/request-target";
import type { Expectation, RequestListener } from "../http/secure-listener";
import type { ActiveRequests } from "./active-requests";
import { type ApiRequest, type ApiResponse, type Middleware, RequestContext } from "./request-context";

export interface EntryDeps {
  readonly negotiation: Negotiation;
  readonly connections: OpenConnections;
  readonly active: ActiveRequests;
  /** The pipeline. */
  route(request: ApiRequest, response: ApiResponse): void;
}

export function requestEntry({ negotiation, connections, active, route }: EntryDeps): RequestListener {
  return (request, response, expects) => {
    // Without a listener an error would end the process.
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
    route(request, response);
  };
}

function ignore(): void {}

function readHead(request: ApiRequest, context: RequestContext, expects: Expectation | undefined): void {
  const { method = "", url = "" } = request;
  if (request.httpVersionMajor !== (overHttp2(request) ? 2 : 1)) context.refusal = unknownVersion(request);
  else if (method === "CONNECT") context.refusal = routerMethodNotAllowed();
  else if (expects === "unknown") context.refusal = unknownExpectation();
  else if (expects === "continue") context.awaitsContinue = true;
  if (url.charCodeAt(0) === SLASH) return;
  const target = parseTarget(method, url);
  // The router knows paths alone.
  request.url = "url" in target ? target.url : "/";
  switch (target.kind) {
    case "path":
      return;
    case "absolute":
      // One that is missing stays missing: it is asked for in any case.
      if (request.headers.host !== undefined) request.headers.host = target.host;
      return;
    case "server":
      context.asksServer = true;
      return;
    case "unreadable":
      context.refusal ??= new StatusError("BadRequest", target.why);
  }
}

const SLASH = 47;

/** Whatever the request line says of the version. */
const overHttp2 = (request: ApiRequest): boolean => "stream" in request;

const unknownVersion = ({ httpVersion }: ApiRequest): StatusError =>
  new StatusError("", `HTTP/${httpVersion} is not spoken here`, undefined, { code: 505 });

const unknownExpectation = (): StatusError =>
  new StatusError("", "Expect: only 100-continue is known", undefined, { code: 417 });

/** Answers what is decided by the head alone. */
export function headAnswer(): Middleware {
  return ({ context, method }, response, next) => {
    if (context.refusal !== undefined) {
      if (method === "CONNECT") response.setHeader("Allow", METHODS.join(", "));
      throw context.refusal;
    }
    if (!context.asksServer) {
      next();
      return;
    }
    response.setHeader("Allow", METHODS.join(", "));
    answerNothing(response);
  };
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
