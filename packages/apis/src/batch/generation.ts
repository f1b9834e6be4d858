// The generation of jobs and cron jobs, which older releases do not maintain: it starts at 1 and counts the changes of
// the specification. The generation of an object that an older release stored starts to count with its next change. The
// status of a job names the generation that the controller has seen, so that clients can tell old from new.
import { fieldAt, objectAt, sameValue } from "@orch/apis-model";
import { isInt64, type JsonObject, nextInteger } from "@orch/schema";

/** Increments the generation when the specification changes. */
export function countChange(next: JsonObject, old: JsonObject): void {
  if (sameValue(next["spec"], old["spec"])) return;
  const generation = fieldAt(old, ["metadata", "generation"]);
  objectAt(next, "metadata")["generation"] = nextInteger(
    generation !== undefined && isInt64(generation) ? generation : 0,
  );
}
