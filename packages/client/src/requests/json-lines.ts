// Splits a stream into JSON documents, one per line.
import type { Readable } from "node:stream";
import type { OmittedMembers } from "@orch/schema";
import { cutOff, wasReset } from "../transport/read-body";
import { readJsonBytes } from "./read-json";

const NEWLINE = 10;

/**
 * Yields the documents.
 * @param omitted members left out of each document
 * @throws ConnectionError when the stream was cut off; an unfinished line is dropped
 */
export async function* jsonLines(body: Readable, omitted?: OmittedMembers): AsyncGenerator<unknown, void, undefined> {
  let rest: Buffer[] = [];
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        const end = chunk.subarray(from, at);
        const line = rest.length === 0 ? end : Buffer.concat([...rest, end]);
        rest = [];
        from = at + 1;
        if (line.length > 0) yield await readJsonBytes(line, omitted);
      }
      if (from < chunk.length) rest.push(chunk.subarray(from));
    }
  } catch (error) {
    throw error instanceof SyntaxError ? error : cutOff(error);
  }
  if (wasReset(body)) throw cutOff(undefined);
}
