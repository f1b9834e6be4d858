// What the request asks for, and under which name of this server.
import { badRequest, queryBoolean } from "@orch/machinery";
import type { ResourceRoutes } from "../handlers/resource-route";
import { readHost } from "../http/request-host";
import type { Middleware } from "./request-context";
import { readRequestInfo } from "./request-info";

export function requestInfo(deps: { readonly routes: ResourceRoutes }): Middleware {
  const { routes } = deps;
  return (request, _response, next) => {
    const { context } = request;
    const info = readRequestInfo(request.method ?? "", request.url ?? "/", routes);
    context.info = info;
    if (info.kind === "unreadable") throw badRequest(info.why);
    const host = readHost(request, info.authority);
    if (typeof host === "string") throw badRequest(host);
    context.host = host.host;
    context.pretty = wantsPretty(info.query, request.headers["user-agent"]);
    next();
  };
}

/** People's clients get indented bodies unless they say otherwise. Source: facts, http.md "Query parameters". */
function wantsPretty(query: URLSearchParams | undefined, userAgent: string | undefined): boolean {
  if (query?.has("pretty")) return queryBoolean(query, "pretty");
  if (userAgent === undefined) return false;
  return userAgent.startsWith("curl") || userAgent.startsWith("Wget") || userAgent.startsWith("Mozilla/5.0");
}
