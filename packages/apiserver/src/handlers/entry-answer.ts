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
  const waiting = route.storage.prepare && preparedFor(route, [entry], request.context.end);
  if (waiting === undefined) return answerObject(response, code, form.contentType, renderFor(form, route, entry));
  return waiting.then(() => answerObject(response, code, form.contentType, renderFor(form, route, entry)));
}
