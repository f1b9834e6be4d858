import { MOST_RECENT, parseGetOptions } from "@orch/machinery";
import { formFor, shownIn } from "./forms/form-of-route";
import type { HandlerDeps, ResourceRequest } from "./handler";
import { answerObject } from "./object-answer";

export async function getObject(_deps: HandlerDeps, asked: ResourceRequest): Promise<void> {
  const { request, response, route, key } = asked;
  const form = formFor(asked, "object");
  const { query } = request.context.info;
  const entry = await route.storage.get(key, query === undefined ? MOST_RECENT : parseGetOptions(query));
  answerObject(response, 200, form.contentType, shownIn(form, route, entry));
}
