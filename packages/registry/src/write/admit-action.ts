// Whether something may be done to an object by creating what nothing stores, such as an eviction.

import type { JsonObject } from "@orch/schema";
import type { ActionContext, ObjectKey } from "../registry";
import type { ResourceContext } from "../resource-context";
import { admissionRequest } from "./write-step";

/** @param body may be changed by admission @throws StatusError what admission throws */
export async function admitAction(
  context: ResourceContext,
  body: JsonObject,
  at: ObjectKey,
  write: ActionContext,
): Promise<void> {
  const { admission } = context;
  if (admission === undefined) return;
  const request = admissionRequest(context, "CREATE", at, write, { object: body });
  await admission.mutate(request);
  await admission.validate(request);
}
