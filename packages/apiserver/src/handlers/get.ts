import { badRequest, MOST_RECENT, parseFields, parseGetOptions, queryBoolean } from "@orch/machinery";
import { preparedFor, renderDeferred } from "@orch/request";
import { existsIn } from "@orch/schema";
import type { HandlerDeps, ResourceRequest } from "./handler";
import { answerObject } from "./object-answer";

/** Releases that accept the parameter export. */
const EXPORTS = { until: "1.20" };

export async function getObject(deps: HandlerDeps, asked: ResourceRequest): Promise<void> {
  const { request, response, info } = asked;
  const { route, key, query } = info;
  const fields = query === undefined ? undefined : parseFields(query);
  const form = fields === undefined ? deps.forms.for(asked, "object") : deps.forms.projected(asked, fields);
  if (query !== undefined && !existsIn(EXPORTS, deps.release)) refuseExport(query);
  const read = query === undefined ? MOST_RECENT : parseGetOptions(query);
  const entry = await route.storage.get(key, read, { signal: request.context.end });
  if (route.storage.prepare !== undefined) await preparedFor(route, [entry], request.context.end);
  // A large object in another version is converted in another thread, and its fields are selected here.
  if (fields !== undefined) await form.prepare([entry]);
  route.subresource?.rules.view?.requireValue?.(entry.inHub());
  const answer = (body: Buffer) => answerObject(response, 200, form.contentType, body);
  return request.context.worked(() => {
    const body = renderDeferred(form, route, entry);
    return body instanceof Promise ? body.then(answer) : answer(body);
  });
}

/** Source: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/get.go. */
function refuseExport(query: URLSearchParams): void {
  if (queryBoolean(query, "export"))
    throw badRequest("the export parameter, deprecated since v1.14, is no longer supported");
}
