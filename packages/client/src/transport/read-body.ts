// The body of an answer, whole.
import type { Readable } from "node:stream";
import { ConnectionError } from "./transport";

/** @throws ConnectionError where the body was cut off */
export async function readBody(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of body) chunks.push(chunk as Buffer);
  } catch (error) {
    throw cutOff(error);
  }
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
