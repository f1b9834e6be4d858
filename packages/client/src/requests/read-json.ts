// JSON of any size as a value. Programs serve others beside it, API servers with controllers in their own process above all: large documents are
// read in steps, between which the event loop has its turn.
import { LoopTurns } from "@orch/platform";
import { JsonInSteps, type JsonValue, type OmittedMembers, readJson, withoutMembers } from "@orch/schema";

/** A shorter document takes a few milliseconds at most. */
const LONG_BYTES = 64 * 1024;

/** Shared by all clients of the process, which share one event loop. */
export const clientTurns = new LoopTurns({ sliceMs: 5 });

/**
 * @param json UTF-8
 * @param omitted what is left out; of large documents no value is made of it
 * @throws SyntaxError for what is no JSON
 */
export async function readJsonBytes(json: Buffer, omitted?: OmittedMembers): Promise<JsonValue> {
  if (json.length < LONG_BYTES) {
    if (clientTurns.isOver) await clientTurns.next();
    const value = readJson(json.toString("utf8"));
    return omitted === undefined ? value : withoutMembers(value, omitted);
  }
  const reader = new JsonInSteps(json, omitted);
  do if (clientTurns.isOver) await clientTurns.next();
  while (!reader.step());
  return reader.value;
}
