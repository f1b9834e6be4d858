// Admission of actions: creates of objects that are not stored, such as an eviction.

import { generateUid, parseApiVersion, whenAdmitted } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { ResourceContext } from "../context/resource-context";
import type { ActionContext, ObjectKey } from "../contract/operations";
import { attemptAttributes } from "./write-step";

/**
 * Admits the action and runs it.
 * @param act receives the body as admission left it
 * @throws StatusError from admission or from the action
 */
export async function admitAction<Result>(
  context: ResourceContext,
  body: JsonObject,
  at: ObjectKey,
  write: ActionContext,
  act: (body: JsonObject) => Promise<Result>,
): Promise<Result> {
  const { admission } = context;
  if (admission === undefined) return act(body);
  const { apiVersion, kind } = body;
  const of = { ...parseApiVersion(String(apiVersion)), kind: String(kind) };
  const parts = attemptAttributes(context, "CREATE", at, write, { object: body, oldObject: undefined });
  const asked = {
    ...parts,
    definition: write.definition ?? context.definition,
    object: body,
    kind: { ...parts.kind, ...of },
  };
  return whenAdmitted(admission, { sinks: write, parts: asked, newUid: () => generateUid(context.randomness) }, act);
}
