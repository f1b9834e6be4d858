import { parseCreateOptions } from "@orch/machinery";
import { NO_QUERY } from "@orch/request";
import { answerEntry } from "./entry-answer";
import type { ResourceRequest, WriteDeps } from "./handler";
import { inForce } from "./in-force";
import { readObject } from "./request-object";
import { boundWrite, writeContext } from "./write-context";

export async function createObject(deps: WriteDeps, asked: ResourceRequest): Promise<void> {
  const { request, info } = asked;
  const { route, key, query = NO_QUERY } = info;
  const form = deps.forms.for(asked, "object");
  const options = parseCreateOptions(query, deps.vocabulary);
  boundWrite(asked);
  const object = readObject(request, route.version, options.fieldValidation);
  const { entry } = await route.storage.create(object, key, writeContext(asked, options));
  const late = inForce(deps, asked, entry);
  if (late !== undefined) await late;
  return answerEntry(asked, 201, form, entry);
}
