// The resources of a request for several, as far as this server serves them.
import { badRequest, resourceText, StatusError } from "@orch/machinery";
import {
  type ApiRequest,
  type ApiResponse,
  type RequestedPart,
  type ResourceRoutes,
  readRequestInfo,
  type SeveralRequest,
  type UnservedRequest,
} from "@orch/request";
import type { HandlerDeps } from "./handler";

export interface SeveralDeps extends HandlerDeps {
  /** See `DispatchDeps`. */
  awaitDefinitions(): Promise<void>;
}

export interface SeveralAsked {
  readonly request: ApiRequest;
  readonly response: ApiResponse;
  readonly info: SeveralRequest;
}

/** Reads the request again when a resource is missing: its definition may have been established a moment ago. */
export async function withArrived(
  deps: SeveralDeps,
  { request, info }: SeveralAsked,
): Promise<readonly RequestedPart[]> {
  if (!info.parts.some((part) => part.info.kind === "unserved")) return info.parts;
  await deps.awaitDefinitions();
  const again = readRequestInfo(info.method, request.context.target, deps.routes);
  if (again.kind !== "several") return info.parts;
  return info.parts.map((part) => {
    if (part.info.kind !== "unserved") return part;
    return again.parts.find((each) => each.name === part.name && asksTheSame(each, part)) ?? part;
  });
}

const AUTHORIZED = ["verb", "group", "version", "resource", "subresource", "namespace", "name"] as const;

/** Compares the attributes that were authorized. */
const asksTheSame = (one: RequestedPart, other: RequestedPart): boolean =>
  AUTHORIZED.every((member) => one.info[member] === other.info[member]);

export const elsewhere = (name: string): StatusError =>
  badRequest(`${name}: is served by an aggregated API server, whose revisions are its own: request it separately`);

export function notServedHere(
  routes: ResourceRoutes,
  name: string,
  { group, resource, namespace }: UnservedRequest,
): StatusError {
  const others = new Set<string>();
  for (const { definition, subresource, connection } of routes.all()) {
    if (definition.plural !== resource || subresource !== undefined || connection !== undefined) continue;
    if (definition.group !== group) others.add(resourceText({ group: definition.group, resource }));
    else if (namespace !== "" && definition.scope === "Cluster") others.add(`${resource} without a namespace`);
  }
  const hint = others.size === 0 ? "" : `: write ${[...others].slice(0, HINTS_MAX).join(" or ")}`;
  return new StatusError("NotFound", `${name}: the server does not serve this resource here${hint}`, {
    group,
    kind: resource,
  });
}

const HINTS_MAX = 3;
