// The body of an answer, whole.
import type { Readable } from "node:stream";
import { ConnectionError } from "./transport";

/** @throws ConnectionError where the body was cut off, or has more than `maxBytes`: the rest is then not read */
export async function readBody(body: Readable, maxBytes = Number.POSITIVE_INFINITY): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body) {
      length += (chunk as Buffer).length;
      if (length > maxBytes) break; // which destroys the body
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    throw cutOff(error);
  }
  if (length > maxBytes) throw new ConnectionError(`the answer has more than ${maxBytes} bytes`);
  if (wasReset(body)) throw cutOff(undefined);
  return (chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)).toString("utf8");
}

/** An HTTP/2 stream that is reset may end as if all had been said. */
export function wasReset(body: Readable): boolean {
  const { rstCode, aborted } = body as Partial<{ rstCode: number; aborted: boolean }>;
  return aborted === true || (rstCode !== undefined && rstCode !== 0);
}

export const cutOff = (cause: unknown): ConnectionError =>
  new ConnectionError("the connection was lost before the answer was complete", { cause });
