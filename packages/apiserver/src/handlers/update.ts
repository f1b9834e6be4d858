import { parseUpdateOptions } from "@orch/machinery";
import { shownIn } from "./forms/answer-forms";
import { NO_QUERY, type ResourceRequest, type WriteDeps } from "./handler";
import { answerObject } from "./object-answer";
import { readObject } from "./request-object";
import { boundWrite, createWithLeave, writeContext } from "./write-context";

/** Of the object, or of the part that a sub-resource stands for. */
export async function updateObject(deps: WriteDeps, asked: ResourceRequest): Promise<void> {
  const { request, response, info } = asked;
  const { route, key, query = NO_QUERY } = info;
  const form = deps.forms.for(asked, "object");
  const options = parseUpdateOptions(query, deps.vocabulary);
  boundWrite(asked);
  const object = await readObject(request, route.bodies, options.fieldValidation);
  const { subresource } = route;
  const { entry, created } = await route.storage.update(object, key, {
    beforeCreate: () => createWithLeave(deps, asked),
    ...writeContext(asked, options),
    ...(subresource === undefined ? {} : { subresource }),
  });
  return answerObject(response, created ? 201 : 200, form.contentType, shownIn(form, route, entry));
}
