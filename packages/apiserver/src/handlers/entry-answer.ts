// Encodes a stored object for the version of its route, usually without waiting.
import type { Entry } from "@orch/registry";
import { type ObjectForm, preparedFor, renderFor } from "@orch/request";
import type { ResourceRequest } from "./handler";
import { answerObject } from "./object-answer";

export function answerEntry(
  { request, response, info: { route } }: ResourceRequest,
  code: number,
  form: ObjectForm,
  entry: Entry,
): void | Promise<void> {
  const { context } = request;
  const answer = () =>
    context.worked(() => answerObject(response, code, form.contentType, renderFor(form, route, entry)));
  const waiting = route.storage.prepare && preparedFor(route, [entry], context.end);
  return waiting === undefined ? answer() : waiting.then(answer);
}
