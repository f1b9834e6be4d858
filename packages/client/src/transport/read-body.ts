// Reads whole response bodies.
import { PassThrough, type Readable } from "node:stream";
import { Pieces } from "./pieces";
import { type AnswerBody, ConnectionError } from "./transport";

/** Reads a body as text. Throws like its `bytes`. */
export async function readBody(body: AnswerBody, maxBytes?: number): Promise<string> {
  return (await body.bytes(maxBytes)).toString("utf8");
}

/**
 * Reads a stream by events, because an async iteration costs more than the rest of a small response. Throws like
 * `bytes` of a body.
 */
export function readBytes(body: Readable, maxBytes = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const pieces = new Pieces();
  return new Promise((resolve, reject) => {
    if (body.destroyed) {
      reject(cutOff(body.errored ?? undefined));
      return;
    }
    let settled = false;
    const settle = (by: () => void): void => {
      if (settled) return;
      settled = true;
      by();
    };
    body.on("data", (chunk: Buffer) => {
      if (pieces.length + chunk.length <= maxBytes) {
        pieces.add(chunk);
        return;
      }
      settle(() => reject(tooLong(maxBytes)));
      body.destroy();
    });
    body.on("error", (error) => settle(() => reject(cutOff(error))));
    body.once("end", () => settle(() => (wasReset(body) ? reject(cutOff(undefined)) : resolve(pieces.whole()))));
    body.once("close", () => settle(() => reject(cutOff(undefined))));
  });
}

/** Passes a body on. The result fails with a ConnectionError when the body is cut off, and with the reason of the signal. */
export function withConnectionErrors(body: Readable, signal?: AbortSignal): Readable {
  const out = new PassThrough();
  const fail = (error?: Error | null) => out.destroy(signal?.aborted === true ? signal.reason : cutOff(error));
  body.on("error", fail);
  body.once("end", () => (wasReset(body) ? fail() : out.end()));
  body.once("close", () => {
    if (!body.readableEnded) fail(body.errored);
  });
  out.once("close", () => body.destroy());
  body.pipe(out, { end: false });
  return out;
}

/** Reports a reset: a reset HTTP/2 stream may end like a complete one. */
export function wasReset(body: Readable): boolean {
  const { rstCode, aborted } = body as Partial<{ rstCode: number; aborted: boolean }>;
  return aborted === true || (rstCode !== undefined && rstCode !== 0);
}

export const cutOff = (cause: unknown): ConnectionError =>
  new ConnectionError("the connection was lost before the answer was complete", { cause });

export const tooLong = (maxBytes: number): ConnectionError =>
  new ConnectionError(`the answer has more than ${maxBytes} bytes`);
