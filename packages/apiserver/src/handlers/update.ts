import { parseUpdateOptions } from "@orch/machinery";
import { NO_QUERY } from "@orch/request";
import { answerEntry } from "./entry-answer";
import type { ResourceRequest, WriteDeps } from "./handler";
import { inForce } from "./in-force";
import { readObject } from "./request-object";
import { authorizeCreation, boundWrite, writeContext } from "./write-context";

/** Updates the object, or the part that a subresource represents. */
export async function updateObject(deps: WriteDeps, asked: ResourceRequest): Promise<void> {
  const { request, info } = asked;
  const { route, key, query = NO_QUERY } = info;
  const form = deps.forms.for(asked, "object");
  const options = parseUpdateOptions(query, deps.vocabulary);
  boundWrite(asked);
  const object = readObject(request, route.bodies, options.fieldValidation);
  const { subresource } = route;
  const beforeCreate = () => authorizeCreation(deps, asked);
  const write = writeContext(asked, options, { subresource, beforeCreate });
  const { entry, created } = await route.storage.update(object, key, write);
  const late = inForce(deps, asked, entry);
  if (late !== undefined) await late;
  return answerEntry(asked, created ? 201 : 200, form, entry);
}
