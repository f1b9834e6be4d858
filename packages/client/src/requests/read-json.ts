// Parses JSON documents of any size. Large documents are parsed in steps between which the event loop can run, because
// the process may serve other requests.
import { EventLoopYielder } from "@orch/platform";
import { JsonInSteps, type JsonValue, type OmittedMembers, readJson, withoutMembers } from "@orch/schema";

/** Documents below this size take at most a few milliseconds. */
const LONG_BYTES = 64 * 1024;

/** Time slices shared by all clients of the process, which share one event loop. */
export const clientYielder = new EventLoopYielder({ sliceMs: 5 });

/**
 * Parses a document.
 * @param json UTF-8
 * @param omitted members left out; in large documents their values are never built
 * @throws SyntaxError for invalid JSON
 */
export async function readJsonBytes(json: Buffer, omitted?: OmittedMembers): Promise<JsonValue> {
  if (json.length < LONG_BYTES) {
    if (clientYielder.isOver) await clientYielder.next();
    const value = readJson(json.toString("utf8"));
    return omitted === undefined ? value : withoutMembers(value, omitted);
  }
  const reader = new JsonInSteps(json, omitted);
  do if (clientYielder.isOver) await clientYielder.next();
  while (!reader.step());
  return reader.value;
}
