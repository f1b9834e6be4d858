// Determines what a request asks for, and the host name by which the client addresses the server.

import { answerNothing, readHost } from "@orch/http-server";
import { badRequest, queryBoolean, type StatusError } from "@orch/machinery";
import {
  type ApiRequest,
  type ApiResponse,
  type Middleware,
  type PeerFinder,
  type ResourceRoutes,
  readRequestInfo,
  unreadable,
} from "@orch/request";

export interface RequestInfoDeps {
  readonly routes: ResourceRoutes;
  /** Set when requests for unserved resources are forwarded to other API servers. */
  readonly peers?: { readonly find: PeerFinder; readonly forwardedHeader: string } | undefined;
  /** Called for each request that this step refuses. */
  refused?(response: ApiResponse): void;
}

export function requestInfo(deps: RequestInfoDeps): Middleware {
  const { routes, peers } = deps;
  const refuse = (response: ApiResponse, refusal: StatusError): never => {
    deps.refused?.(response);
    throw refusal;
  };
  /** A request that another server has forwarded is not forwarded again. */
  const finderFor = ({ headers }: ApiRequest): PeerFinder | undefined =>
    peers === undefined || headers[peers.forwardedHeader] === "true" ? undefined : peers.find;
  return (request, response, next) => {
    const { context } = request;
    if (context.refusal !== undefined) {
      const { method = "" } = request;
      if (method === "CONNECT") response.setHeader("Allow", METHODS);
      context.info = unreadable(method, context.target, context.refusal.message);
      refuse(response, context.refusal);
    }
    const read = readRequestInfo(request.method ?? "", context.target, routes, finderFor(request));
    // An upgraded connection has no time limit, whichever server answers it.
    const info = read.kind === "remote" && request.upgraded !== undefined ? { ...read, longRunning: true } : read;
    context.info = info;
    if (info.kind === "unreadable") return refuse(response, badRequest(info.why));
    const host = readHost(request, info.authority);
    if (typeof host === "string") return refuse(response, badRequest(host));
    context.host = host.host;
    if (info.path === WHOLE_SERVER) {
      response.setHeader("Allow", METHODS);
      answerNothing(response);
      return;
    }
    context.pretty = wantsPretty(info.query, request.headers["user-agent"]);
    next();
  };
}

/** Target of requests for the capabilities of the server (RFC 9110, section 9.3.7). */
const WHOLE_SERVER = "*";
const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

/**
 * Clients of people get indented bodies by default. Source:
 * staging/src/k8s.io/apiserver/pkg/endpoints/handlers/negotiation/negotiate.go.
 */
function wantsPretty(query: URLSearchParams | undefined, userAgent: string | undefined): boolean {
  if (query?.has("pretty")) return queryBoolean(query, "pretty");
  if (userAgent === undefined) return false;
  return userAgent.startsWith("curl") || userAgent.startsWith("Wget") || userAgent.startsWith("Mozilla/5.0");
}
