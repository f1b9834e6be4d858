// Carries out writes of one object, and actions on one: here, or in a large-object worker.
import { badRequest } from "@orch/machinery";
import type {
  ActionRequest,
  ApiRequest,
  ApiResponse,
  CollectionRequest,
  ItemRequest,
  ResourceRoute,
  ServedRequest,
} from "@orch/request";
import type { GateName } from "@orch/server-config";
import { createAction } from "./actions/action";
import { createObject } from "./create";
import { deleteObject } from "./delete";
import { explainWrite } from "./explain-write";
import type { VerbHandler, WriteDeps } from "./handler";
import { patchObject } from "./patch";
import { updateObject } from "./update";

const WRITES = {
  create: createObject,
  update: updateObject,
  patch: patchObject,
  delete: deleteObject,
} as const satisfies Readonly<Record<string, VerbHandler<WriteDeps>>>;

export type WriteRequest =
  | (CollectionRequest & { readonly verb: keyof typeof WRITES })
  | (ItemRequest & { readonly verb: keyof typeof WRITES })
  | ActionRequest;

export const isWrite = <Info extends ServedRequest>(info: Info): info is Info & WriteRequest =>
  info.kind === "action" || ((info.kind === "item" || info.kind === "collection") && Object.hasOwn(WRITES, info.verb));

/** Answers the request. @throws StatusError to be answered */
export function carryOutWrite(
  deps: WriteDeps,
  request: ApiRequest,
  response: ApiResponse,
  info: WriteRequest,
): void | Promise<void> {
  if (!info.explains) return carryOut(deps, request, response, info);
  return explainWrite(deps, request, response, (inner, answer) => carryOut(deps, inner, answer, info));
}

function carryOut(
  deps: WriteDeps,
  request: ApiRequest,
  response: ApiResponse,
  info: WriteRequest,
): void | Promise<void> {
  if (info.kind === "action") return createAction(deps, { request, response, info });
  requireGate(deps, info.route);
  const { definition, version } = info.route;
  const making = info.verb === "delete" ? undefined : definition.prepare?.(version);
  if (making === undefined) return WRITES[info.verb](deps, { request, response, info });
  return making.then(() => WRITES[info.verb](deps, { request, response, info }));
}

/** @throws StatusError BadRequest (400) */
export function requireGate({ gates }: WriteDeps, { subresource }: ResourceRoute): void {
  const gate = subresource?.rules.gate;
  if (gate !== undefined && gates[gate as GateName] === false) throw badRequest(`feature ${gate} disabled`);
}
