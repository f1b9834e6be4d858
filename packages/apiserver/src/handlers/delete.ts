import { type DeleteOptions, deletedStatus, metaOf, parseDeleteOptions } from "@orch/machinery";
import type { DeleteResult } from "@orch/registry";
import { answerJson } from "../http/answer";
import { requireJson } from "./content-negotiation";
import { type HandlerDeps, NO_QUERY, type ResourceRequest } from "./handler";
import { answerObject } from "./object-answer";
import { readOptionsBody } from "./request-object";
import { boundWrite, writeContext } from "./write-context";

export async function deleteObject(deps: HandlerDeps, asked: ResourceRequest): Promise<void> {
  const { response, route, key } = asked;
  requireJson(asked.request);
  boundWrite(asked);
  const options = await readDeleteOptions(deps, asked);
  const { preconditions } = options;
  const result = await route.storage.delete(key, { preconditions }, writeContext(asked, options));
  const { entry, removed } = result;
  if (removed && !route.definition.deleteReturnsObject) {
    answerJson(response, 200, deletedStatus(detailsOf(asked, result)), asked.request.context.pretty ? 2 : 0);
    return;
  }
  const orphans = options.propagation.kind === "orphanDependents" && options.propagation.orphan;
  const explicitlyNotOrphaning = options.propagation.kind === "orphanDependents" && !orphans;
  answerObject(response, !removed && explicitlyNotOrphaning ? 202 : 200, entry.json(route.version));
}

/** The body's where there is one, else the query's. */
export async function readDeleteOptions(deps: HandlerDeps, { request }: ResourceRequest): Promise<DeleteOptions> {
  const body = await readOptionsBody(request, "DeleteOptions");
  return parseDeleteOptions(body, request.context.info.query ?? NO_QUERY, deps.vocabulary);
}

function detailsOf({ route, key }: ResourceRequest, { entry }: DeleteResult) {
  const uid = metaOf(entry.object()).uid;
  return {
    name: key.name,
    group: route.version.group,
    kind: route.definition.plural,
    ...(uid === undefined ? {} : { uid }),
  };
}
