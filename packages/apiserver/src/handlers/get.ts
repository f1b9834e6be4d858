import { MOST_RECENT, parseGetOptions } from "@orch/machinery";
import { requireJson } from "./content-negotiation";
import type { HandlerDeps, ResourceRequest } from "./handler";
import { answerObject, shownJson } from "./object-answer";

export async function getObject(_deps: HandlerDeps, asked: ResourceRequest): Promise<void> {
  const { request, response, route, key } = asked;
  requireJson(request);
  const { query } = request.context.info;
  const entry = await route.storage.get(key, query === undefined ? MOST_RECENT : parseGetOptions(query));
  answerObject(response, 200, shownJson(route, entry));
}
