// v1beta1 lets a request leave out who is to sign it.
import type { JsonObject, Vocabulary } from "@orch/schema";
import { objectAt, objectsAt } from "../field-path";

/** A condition that says nothing else holds. */
export function chooseSigner(request: JsonObject, _vocabulary: Vocabulary): void {
  for (const condition of objectsAt(objectAt(request, "status"), "conditions")) condition["status"] ||= "True";
}
