// Splits a stream into JSON documents, one per line.
import type { Readable } from "node:stream";
import { isObject, type JsonObject, type JsonValue, type OmittedMembers } from "@orch/schema";
import { cutOff, wasReset } from "../transport/read-body";
import { readJsonBytes } from "./read-json";

const NEWLINE = 10;
/** Maximum size of a document: many times that of the largest object of a server. */
const LINE_MAX_BYTES = 64 * 1024 * 1024;

/**
 * Yields the documents.
 * @param omitted members left out of each document
 * @throws SyntaxError for a line that is too long or no JSON object; ConnectionError when the stream was cut off; an unfinished line is dropped
 */
export async function* jsonLines(
  body: Readable,
  omitted?: OmittedMembers,
): AsyncGenerator<JsonObject, void, undefined> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        const end = chunk.subarray(from, at);
        const line = rest.length === 0 ? end : Buffer.concat([...rest, end]);
        rest = [];
        restBytes = 0;
        from = at + 1;
        if (line.length > 0) yield await documentIn(line, omitted);
      }
      if (from === chunk.length) continue;
      rest.push(chunk.subarray(from));
      restBytes += chunk.length - from;
      if (restBytes > LINE_MAX_BYTES) {
        throw new SyntaxError(`the server sent a line of more than ${LINE_MAX_BYTES} bytes in a stream of JSON`);
      }
    }
  } catch (error) {
    throw error instanceof SyntaxError ? error : cutOff(error);
  }
  if (wasReset(body)) throw cutOff(undefined);
}

async function documentIn(line: Buffer, omitted: OmittedMembers | undefined): Promise<JsonObject> {
  let value: JsonValue;
  try {
    value = await readJsonBytes(line, omitted);
  } catch (cause) {
    const why = (cause as Error).message;
    throw new SyntaxError(`the server sent a line that is not JSON in a stream of JSON: ${why}`, { cause });
  }
  if (isObject(value)) return value;
  throw new SyntaxError("the server sent a line that is not a JSON object in a stream of JSON");
}
