// Cuts what comes over a connection into frames.

import { FRAME_HEAD_BYTES, PAYLOAD_MAX_BYTES, ProtocolError } from "./frame";

/** @param payload to be used at once: its bytes change afterwards */
export type FrameHandler = (type: number, flags: number, stream: number, payload: Buffer) => void;

export class FrameSplitter {
  readonly #handle: FrameHandler;
  /** A frame that did not come in one piece. */
  readonly #part = Buffer.allocUnsafeSlow(FRAME_HEAD_BYTES + PAYLOAD_MAX_BYTES);
  #partBytes = 0;

  constructor(handle: FrameHandler) {
    this.#handle = handle;
  }

  /** @throws ProtocolError for a frame that is longer than it may be; what the handler throws */
  push(chunk: Buffer): void {
    let at = this.#partBytes === 0 ? 0 : this.#complete(chunk);
    while (chunk.length - at >= FRAME_HEAD_BYTES) {
      const end = at + FRAME_HEAD_BYTES + payloadBytes(chunk, at);
      if (end > chunk.length) break;
      this.#emit(chunk, at, end);
      at = end;
    }
    if (at < chunk.length) this.#partBytes += chunk.copy(this.#part, this.#partBytes, at);
  }

  /** Takes what the frame begun lacks. @returns how many bytes that were */
  #complete(chunk: Buffer): number {
    const taken = this.#fill(chunk, 0, FRAME_HEAD_BYTES);
    if (this.#partBytes < FRAME_HEAD_BYTES) return taken;
    const end = FRAME_HEAD_BYTES + payloadBytes(this.#part, 0);
    const all = taken + this.#fill(chunk, taken, end);
    if (this.#partBytes === end) {
      this.#partBytes = 0;
      this.#emit(this.#part, 0, end);
    }
    return all;
  }

  /** @returns how many bytes of the chunk, from `at` on, it took to have `wanted` */
  #fill(chunk: Buffer, at: number, wanted: number): number {
    if (this.#partBytes >= wanted) return 0;
    const copied = chunk.copy(this.#part, this.#partBytes, at, at + wanted - this.#partBytes);
    this.#partBytes += copied;
    return copied;
  }

  #emit(bytes: Buffer, at: number, end: number): void {
    const stream = bytes.readUInt32BE(at + 5) & 0x7fff_ffff;
    this.#handle(bytes[at + 3] as number, bytes[at + 4] as number, stream, bytes.subarray(at + FRAME_HEAD_BYTES, end));
  }
}

function payloadBytes(bytes: Buffer, at: number): number {
  const length = bytes.readUIntBE(at, 3);
  if (length > PAYLOAD_MAX_BYTES) throw new ProtocolError(`a frame claims to hold ${length} bytes`);
  return length;
}
