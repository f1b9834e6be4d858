// The last step: a resource, or one of the paths beside the API, or nothing.
import { badRequest, routerNotFound, serviceUnavailable } from "@orch/machinery";
import { answerDiscovery } from "../discovery/discovery-answer";
import type { Discovery } from "../discovery/discovery-documents";
import { answerHealth } from "../health/health-answer";
import { ALL_ENDPOINTS, type HealthChecks } from "../health/health-checks";
import { answerJson, methodNotAllowed, READING_METHODS } from "../http/answer";
import { announcesBody } from "../http/upgrade-requests";
import type { ApiRequest, ApiResponse, Middleware } from "../pipeline/request-context";
import type { HandlerDeps } from "./handler";
import { handleResource } from "./resource-handler";

export interface DispatchDeps extends HandlerDeps {
  /** False while the server is starting: objects cannot be served yet. */
  started(): boolean;
  readonly discovery: Discovery;
  readonly health: HealthChecks;
  /** By whole path. */
  readonly paths: ReadonlyMap<string, PathHandler>;
  /** By the beginning of the path, with a slash at its end. */
  readonly trees: ReadonlyMap<string, PathHandler>;
}

export type PathHandler = (request: ApiRequest, response: ApiResponse) => void | Promise<void>;

export function dispatch(deps: DispatchDeps): Middleware {
  const { routes } = deps;
  return (request, response) => {
    const { info, route } = request.context;
    if (request.upgraded !== undefined && announcesBody(request)) throw badRequest("an upgrade cannot have a body");
    if (info.isResource && !deps.started()) throw serviceUnavailable("server is starting", 1);
    if (route !== undefined) return handleResource(deps, request, response, route);
    // Within a served group version the resource is missing; elsewhere the path itself is.
    if (info.isResource && routes.servesGroupVersion(info.group, info.version)) throw routerNotFound();
    return answerPath(deps, request, response);
  };
}

async function answerPath(deps: DispatchDeps, request: ApiRequest, response: ApiResponse): Promise<void> {
  const { context, method } = request;
  const { path } = context.info;
  const trimmed = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  const handler = deps.paths.get(trimmed);
  if (handler !== undefined) {
    context.servedPath = trimmed;
    return handler(request, response);
  }
  if (deps.discovery.find(trimmed) !== undefined) {
    if (!READING_METHODS.includes(method ?? "")) throw methodNotAllowed(response, READING_METHODS);
    answerDiscovery(deps.discovery, request, response, trimmed);
    return;
  }
  for (const [root, tree] of deps.trees) {
    if (!path.startsWith(root)) continue;
    context.servedPath = root.slice(0, -1);
    return tree(request, response);
  }
  for (const endpoint of ALL_ENDPOINTS) {
    if (!path.startsWith(`/${endpoint}/`) && trimmed !== `/${endpoint}`) continue;
    context.servedPath = `/${endpoint}`;
    if (await answerHealth(deps.health, request, response, { endpoint, check: trimmed.slice(endpoint.length + 2) }))
      return;
  }
  context.servedPath = undefined;
  answerJson(response, 404, deps.discovery.paths(), 2);
}
