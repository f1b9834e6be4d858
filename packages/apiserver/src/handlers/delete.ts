import { deletedStatus, metaOf } from "@orch/machinery";
import type { DeleteResult } from "@orch/registry";
import { answerJson } from "../http/answer";
import { requireJson } from "./content-negotiation";
import { readDeleteOptions } from "./delete-request";
import type { HandlerDeps, ResourceRequest } from "./handler";
import { answerObject } from "./object-answer";
import { boundWrite, writeContext } from "./write-context";

export async function deleteObject(deps: HandlerDeps, asked: ResourceRequest): Promise<void> {
  const { request, response, route, key } = asked;
  requireJson(request);
  boundWrite(asked);
  const options = await readDeleteOptions(deps, asked);
  const result = await route.storage.delete(key, options, writeContext(asked, options));
  const { entry, removed } = result;
  if (removed && !route.definition.deleteReturnsObject) {
    answerJson(response, 200, deletedStatus(detailsOf(asked, result)), request.context.pretty ? 2 : 0);
    return;
  }
  const { propagation } = options;
  // Only who asks in the old way is told by the code that dependents are still to be waited for.
  const waits = !removed && propagation.kind === "orphanDependents" && !propagation.orphan;
  answerObject(response, waits ? 202 : 200, entry.json(route.version));
}

function detailsOf({ route, key }: ResourceRequest, { entry }: DeleteResult) {
  const { uid } = metaOf(entry.object());
  return {
    name: key.name,
    group: route.version.group,
    kind: route.definition.plural,
    ...(uid === undefined ? {} : { uid }),
  };
}
