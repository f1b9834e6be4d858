// HTTP/2 frames: a head of nine bytes, and a payload. Source: RFC 9113, sections 4 and 6.

export const FRAME = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const FLAG = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 0x20 } as const;
export const SETTING = { headerTableSize: 1, enablePush: 2, maxStreams: 3, initialWindow: 4, frameSize: 5 } as const;
/** Error codes of streams and connections. */
export const REASON = { none: 0, protocol: 1, flowControl: 3, refused: 7, cancel: 8, compression: 9 } as const;

export const HEAD_BYTES = 9;
/** Default limit of the payload. Peers send larger ones only if the settings allow them. */
export const PAYLOAD_MAX_BYTES = 16_384;
/** Initial flow-control window of both sides. */
export const FIRST_WINDOW_BYTES = 65_535;
export const STREAM_MAX = 2 ** 31 - 1;

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  /** A slice of the received bytes, which are never overwritten. */
  readonly payload: Buffer;
}

/** Writes the head of a frame. The payload follows it. */
export function writeHead(
  into: Buffer,
  at: number,
  { type, flags, stream }: Omit<Frame, "payload">,
  length: number,
): void {
  into.writeUIntBE(length, at, 3);
  into[at + 3] = type;
  into[at + 4] = flags;
  into.writeUInt32BE(stream, at + 5);
}

export function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const whole = Buffer.allocUnsafe(HEAD_BYTES + payload.length);
  writeHead(whole, 0, { type, flags, stream }, payload.length);
  payload.copy(whole, HEAD_BYTES);
  return whole;
}

export function number32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function settings(values: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.allocUnsafe(values.length * 6);
  for (const [at, [id, value]] of values.entries()) {
    payload.writeUInt16BE(id, at * 6);
    payload.writeUInt32BE(value, at * 6 + 2);
  }
  return frame(FRAME.settings, 0, 0, payload);
}

/** A protocol violation of the peer, which closes the connection. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
  constructor(
    message: string,
    readonly reason: number = REASON.protocol,
  ) {
    super(message);
  }
}

/** Splits received bytes into frames. */
export class FrameSplitter {
  private rest: Buffer | undefined;

  /** @throws ProtocolError for a frame that is too large, and errors of `take` */
  push(chunk: Buffer, take: (frame: Frame) => void): void {
    const bytes = this.rest === undefined ? chunk : Buffer.concat([this.rest, chunk]);
    this.rest = undefined;
    let at = 0;
    while (bytes.length - at >= HEAD_BYTES) {
      const length = bytes.readUIntBE(at, 3);
      if (length > PAYLOAD_MAX_BYTES) throw new ProtocolError(`a frame of ${length} bytes`);
      const end = at + HEAD_BYTES + length;
      if (end > bytes.length) break;
      const payload = bytes.subarray(at + HEAD_BYTES, end);
      take({
        type: bytes[at + 3] as number,
        flags: bytes[at + 4] as number,
        stream: bytes.readUInt32BE(at + 5) & STREAM_MAX,
        payload,
      });
      at = end;
    }
    if (at < bytes.length) this.rest = bytes.subarray(at);
  }
}

/** Returns the payload without its padding and without `priorityBytes` leading bytes. */
export function unpadded({ flags, payload }: Frame, priorityBytes = 0): Buffer {
  const isPadded = (flags & FLAG.padded) !== 0;
  const start = (isPadded ? 1 : 0) + priorityBytes;
  const end = payload.length - (isPadded ? (payload[0] ?? 0) : 0);
  if (start > end) throw new ProtocolError("padding that is longer than its frame");
  return payload.subarray(start, end);
}
