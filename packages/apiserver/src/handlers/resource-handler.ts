// A request for a resource goes to the handler of its verb, once method, scope and path fit each other.
import { badRequest, routerNotFound } from "@orch/machinery";
import type { ObjectKey } from "@orch/registry";
import { handleConnection } from "../connect/connection-handler";
import type { GateName } from "../flags/feature-gates";
import { methodNotAllowed } from "../http/answer";
import type { ApiRequest, ApiResponse } from "../pipeline/request-context";
import { parseRequestInfo, type RequestInfo } from "../pipeline/request-info";
import { createAction } from "./actions/action";
import { createObject } from "./create";
import { deleteObject } from "./delete";
import { deleteCollection } from "./delete-collection";
import { getObject } from "./get";
import type { HandlerDeps, ResourceRequest, VerbHandler } from "./handler";
import { isLargeWrite, writeElsewhere } from "./large-write";
import { listObjects } from "./list";
import { patchObject } from "./patch";
import type { ConnectRoute, ResourceRoute, Route, ServedRoute } from "./resource-route";
import { updateObject } from "./update";
import { createVirtual } from "./virtual/virtual-resource";
import { watchObjects } from "./watch";

const HANDLERS: Readonly<Record<string, VerbHandler>> = {
  get: getObject,
  list: listObjects,
  watch: watchObjects,
  create: createObject,
  update: updateObject,
  patch: patchObject,
  delete: deleteObject,
  deletecollection: deleteCollection,
};

/** Answers, or throws the StatusError that is to be answered. */
export function handleResource(
  deps: HandlerDeps,
  request: ApiRequest,
  response: ApiResponse,
  route: ServedRoute,
): void | Promise<void> {
  const { context } = request;
  const { info } = context;
  if (route.connection !== undefined) {
    return handleConnection(deps.connections, { request, response, route, key: keyOf(info, route) });
  }
  if (!pathFits(info, route)) throw routerNotFound();
  const handler = takes(route, request.method, info) ? HANDLERS[info.verb] : undefined;
  if (handler === undefined) throw methodNotAllowed(response, methodsOf(route, request.url ?? ""));
  if (!deps.gates.DryRun && info.query?.has("dryRun")) throw badRequest("dryRun: the feature is switched off");
  if (route.deprecation !== undefined) deps.deprecatedRequest(request, route);
  const { lane } = deps;
  if (lane !== undefined && WRITING.has(info.verb)) {
    const key = keyOf(info, route);
    return isLargeWrite({ request, route, key }).then((large) =>
      large ? writeElsewhere(lane, request, response) : carryOut(deps, request, response, route),
    );
  }
  return carryOut(deps, request, response, route);
}

const WRITING = new Set(["create", "update", "patch", "delete"]);

function carryOut(
  deps: HandlerDeps,
  request: ApiRequest,
  response: ApiResponse,
  route: Exclude<ServedRoute, ConnectRoute>,
): void | Promise<void> {
  const { info } = request.context;
  const handler = HANDLERS[info.verb] as VerbHandler;
  if (route.storage === undefined) return createVirtual(deps, { request, response, route });
  if (route.act !== undefined) return createAction(deps, { request, response, route, key: keyOf(info, route) });
  requireGate(deps, route);
  return handler(deps, { request, response, route, key: keyOf(info, route) } satisfies ResourceRequest);
}

/** @throws StatusError BadRequest (400) */
function requireGate({ gates }: HandlerDeps, { subresource }: ResourceRoute): void {
  const gate = subresource?.rules.gate;
  if (gate !== undefined && gates[gate as GateName] === false) throw badRequest(`feature ${gate} disabled`);
}

/** Whether the path has the shape that the resource's scope asks for. */
function pathFits(info: RequestInfo, route: Route): boolean {
  if (info.tail !== "") return false;
  const { scope, plural } = route.definition;
  if (scope === "Cluster") return info.namespace === "" || (plural === "namespaces" && info.namespace === info.name);
  const hasItem = info.name !== "" && info.verb !== "list" && info.verb !== "watch";
  return info.namespace !== "" || !hasItem;
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

const methodsOf = (route: Route, url: string): readonly string[] =>
  METHODS.filter((method) => takes(route, method, parseRequestInfo(method, url)));

const takes = (route: Route, method: string | undefined, info: RequestInfo): boolean =>
  route.verbs.has(info.verb) && methodFits(method, info, route);

function methodFits(method: string | undefined, info: RequestInfo, route: Route): boolean {
  switch (info.verb) {
    case "get":
    case "list":
    case "watch":
      return method === "GET";
    case "create":
      return (info.name === "") === (route.subresource === undefined) && inItsNamespace(info, route);
    case "deletecollection":
      return inItsNamespace(info, route);
    default:
      return info.name !== "";
  }
}

/** Objects are written in one namespace at a time. */
function inItsNamespace(info: RequestInfo, route: Route): boolean {
  return route.definition.scope === "Cluster" || info.namespace !== "";
}

/** The namespace of a request for a namespace is that namespace; its key has none. */
function keyOf(info: RequestInfo, route: Route): ObjectKey {
  return { namespace: route.definition.scope === "Cluster" ? "" : info.namespace, name: info.name };
}
