import { MOST_RECENT, parseGetOptions } from "@orch/machinery";
import { preparedFor, renderDeferred } from "@orch/request";
import type { HandlerDeps, ResourceRequest } from "./handler";
import { answerObject } from "./object-answer";

export async function getObject(deps: HandlerDeps, asked: ResourceRequest): Promise<void> {
  const { request, response, info } = asked;
  const { route, key, query } = info;
  const form = deps.forms.for(asked, "object");
  const read = query === undefined ? MOST_RECENT : parseGetOptions(query);
  const entry = await route.storage.get(key, read, { signal: request.context.end });
  if (route.storage.prepare !== undefined) await preparedFor(route, [entry], request.context.end);
  route.subresource?.rules.view?.requireValue?.(entry.inHub());
  return answerObject(response, 200, form.contentType, await renderDeferred(form, route, entry));
}
