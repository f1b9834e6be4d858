// The body of an answer, whole.
import type { Readable } from "node:stream";
import { ConnectionError } from "./transport";

/** @throws ConnectionError where the body was cut off, or has more than `maxBytes`: the rest is then not read */
export async function readBody(body: Readable, maxBytes?: number): Promise<string> {
  return (await readBytes(body, maxBytes)).toString("utf8");
}

/** As `readBody`. By events: a loop over the stream costs more than the rest of a small answer. */
export function readBytes(body: Readable, maxBytes = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const pieces = new Pieces();
  let length = 0;
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
      length += chunk.length;
      if (length <= maxBytes) {
        pieces.add(chunk);
        return;
      }
      settle(() => reject(new ConnectionError(`the answer has more than ${maxBytes} bytes`)));
      body.destroy();
    });
    body.on("error", (error) => settle(() => reject(cutOff(error))));
    body.once("end", () => settle(() => (wasReset(body) ? reject(cutOff(undefined)) : resolve(pieces.whole()))));
    body.once("close", () => settle(() => reject(cutOff(undefined))));
  });
}

const SMALL_BYTES = 1024;
const BLOCK_BYTES = 64 * 1024;

/** What has come so far. Small pieces are put together as they come: a million of them would take long to put together at the end. */
class Pieces {
  private readonly full: Buffer[] = [];
  private block = Buffer.alloc(0);
  private used = 0;

  add(piece: Buffer): void {
    if (piece.length < SMALL_BYTES && this.full.length > 0) {
      if (this.used + piece.length > this.block.length) this.newBlock();
      this.used += piece.copy(this.block, this.used);
      return;
    }
    this.endBlock();
    this.full.push(piece);
  }

  whole(): Buffer {
    this.endBlock();
    return this.full.length === 1 ? (this.full[0] as Buffer) : Buffer.concat(this.full);
  }

  private newBlock(): void {
    this.endBlock();
    this.block = Buffer.allocUnsafe(BLOCK_BYTES);
  }

  private endBlock(): void {
    if (this.used > 0) this.full.push(this.block.subarray(0, this.used));
    this.block = this.block.subarray(this.used);
    this.used = 0;
  }
}

/** An HTTP/2 stream that is reset may end as if all had been said. */
export function wasReset(body: Readable): boolean {
  const { rstCode, aborted } = body as Partial<{ rstCode: number; aborted: boolean }>;
  return aborted === true || (rstCode !== undefined && rstCode !== 0);
}

export const cutOff = (cause: unknown): ConnectionError =>
  new ConnectionError("the connection was lost before the answer was complete", { cause });
