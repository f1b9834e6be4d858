import { parseCreateOptions } from "@orch/machinery";
import { shownIn } from "./forms/answer-forms";
import { NO_QUERY, type ResourceRequest, type WriteDeps } from "./handler";
import { answerObject } from "./object-answer";
import { readObject } from "./request-object";
import { boundWrite, writeContext } from "./write-context";

export async function createObject(deps: WriteDeps, asked: ResourceRequest): Promise<void> {
  const { request, response, info } = asked;
  const { route, key, query = NO_QUERY } = info;
  const form = deps.forms.for(asked, "object");
  const options = parseCreateOptions(query, deps.vocabulary);
  boundWrite(asked);
  const object = await readObject(request, route.version, options.fieldValidation);
  const { entry } = await route.storage.create(object, key, writeContext(asked, options));
  return answerObject(response, 201, form.contentType, shownIn(form, route, entry));
}
