// What the request asks for, and which served resource that is.
import { badRequest } from "@orch/machinery";
import type { ResourceRoutes } from "../handlers/resource-route";
import type { Middleware } from "./request-context";
import { isTrue, parseRequestInfo } from "./request-info";

export function readRequestInfo(deps: { readonly routes: ResourceRoutes }): Middleware {
  const { routes } = deps;
  return (request, _response, next) => {
    const info = parseRequestInfo(request.method ?? "", request.url ?? "/");
    const { context } = request;
    context.info = info;
    if (info.failure !== undefined) throw badRequest(info.failure);
    if (request.headers.host === undefined && request.httpVersion === "1.1")
      throw badRequest("a Host header is missing");
    if (info.isResource) context.route = routes.find(info);
    context.pretty = wantsPretty(info.query, request.headers["user-agent"]);
    next();
  };
}

/** People's clients get indented bodies unless they say otherwise. Source: facts, http.md "Query parameters". */
function wantsPretty(query: URLSearchParams | undefined, userAgent: string | undefined): boolean {
  if (query?.has("pretty")) return isTrue(query, "pretty");
  if (userAgent === undefined) return false;
  return userAgent.startsWith("curl") || userAgent.startsWith("Wget") || userAgent.startsWith("Mozilla/5.0");
}
