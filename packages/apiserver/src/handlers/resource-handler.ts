// A request for a resource goes to the handler of its verb.
import { badRequest } from "@orch/machinery";
import { handleConnection } from "../connect/connection-handler";
import type { GateName } from "../flags/feature-gates";
import type { ApiRequest, ApiResponse } from "../pipeline/request-context";
import type { CollectionRequest, ItemRequest, ServedRequest } from "../pipeline/request-info";
import { createAction } from "./actions/action";
import { createObject } from "./create";
import { deleteObject } from "./delete";
import { deleteCollection } from "./delete-collection";
import { getObject } from "./get";
import type { HandlerDeps, VerbHandler } from "./handler";
import { listObjects } from "./list";
import { patchObject } from "./patch";
import type { ResourceRoute } from "./resource-route";
import { updateObject } from "./update";
import { createVirtual } from "./virtual/virtual-resource";
import { watchObjects } from "./watch";

const HANDLERS: Readonly<Record<(CollectionRequest | ItemRequest)["verb"], VerbHandler>> = {
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
  info: ServedRequest,
): void | Promise<void> {
  if (info.kind === "connection") return handleConnection(deps.connections, { request, response, info });
  if (!deps.gates.DryRun && info.query?.has("dryRun")) throw badRequest("dryRun: the feature is switched off");
  const { route } = info;
  if (route.deprecation !== undefined) deps.deprecatedRequest(request, route);
  switch (info.kind) {
    case "question":
      return createVirtual(deps, { request, response, info });
    case "action":
      return createAction(deps, { request, response, info });
    case "item":
    case "collection":
      requireGate(deps, info.route);
      return HANDLERS[info.verb](deps, { request, response, info });
  }
}

/** @throws StatusError BadRequest (400) */
function requireGate({ gates }: HandlerDeps, { subresource }: ResourceRoute): void {
  const gate = subresource?.rules.gate;
  if (gate !== undefined && gates[gate as GateName] === false) throw badRequest(`feature ${gate} disabled`);
}
