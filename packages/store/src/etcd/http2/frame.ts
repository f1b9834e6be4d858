// The frames of HTTP/2. Source: RFC 9113, sections 4, 6 and 7.

export const FRAME = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const FLAG = { endStream: 0x01, ack: 0x01, endHeaders: 0x04, padded: 0x08, priority: 0x20 } as const;

export const SETTING = { enablePush: 2, maxConcurrentStreams: 3, initialWindowSize: 4, maxFrameSize: 5 } as const;

export const ERROR_CODE = { noError: 0, refusedStream: 7, cancel: 8 } as const;

/** What the client says before its first frame. */
export const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

export const FRAME_HEAD_BYTES = 9;
/** The longest payload of a frame, where nobody says otherwise. */
export const PAYLOAD_MAX_BYTES = 16_384;
/** So much may be sent before the peer opens the window, where nobody says otherwise. */
export const WINDOW_FIRST_BYTES = 65_535;
export const WINDOW_MAX_BYTES = 2 ** 31 - 1;
export const STREAM_ID_MAX = 2 ** 31 - 1;

/** What is wrong with what the peer sends; the connection is of no more use. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
}

export interface FrameHead {
  readonly type: number;
  readonly flags: number;
  /** 0: of the connection itself. */
  readonly stream: number;
}

export function writeFrameHead(
  into: Buffer,
  at: number,
  payloadBytes: number,
  { type, flags, stream }: FrameHead,
): void {
  into.writeUIntBE(payloadBytes, at, 3);
  into[at + 3] = type;
  into[at + 4] = flags;
  into.writeUInt32BE(stream, at + 5);
}

export function frame(head: FrameHead, payload: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(FRAME_HEAD_BYTES + payload.length);
  writeFrameHead(bytes, 0, payload.length, head);
  payload.copy(bytes, FRAME_HEAD_BYTES);
  return bytes;
}

/** A frame whose payload is one number of 32 bits. */
export function numberFrame(type: number, stream: number, value: number): Buffer {
  const payload = Buffer.allocUnsafe(4);
  payload.writeUInt32BE(value);
  return frame({ type, flags: 0, stream }, payload);
}

export function settingsFrame(settings: readonly (readonly [name: number, value: number])[]): Buffer {
  const payload = Buffer.allocUnsafe(6 * settings.length);
  for (const [index, [name, value]] of settings.entries()) {
    payload.writeUInt16BE(name, 6 * index);
    payload.writeUInt32BE(value, 6 * index + 2);
  }
  return frame({ type: FRAME.settings, flags: 0, stream: 0 }, payload);
}

/** @throws ProtocolError for a payload of another length */
export function readNumber(payload: Buffer): number {
  if (payload.length !== 4) throw new ProtocolError(`a frame of ${payload.length} bytes should have 4`);
  return payload.readUInt32BE(0);
}

/** The payload without what fills it up. @throws ProtocolError */
export function withoutPadding(payload: Buffer, flags: number): Buffer {
  if ((flags & FLAG.padded) === 0) return payload;
  const end = payload.length - (payload[0] ?? 0);
  if (end < 1) throw new ProtocolError("a frame has more padding than payload");
  return payload.subarray(1, end);
}
