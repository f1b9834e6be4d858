// Writes and reads single HTTP/2 frames, so that tests can send orders, lengths and stream ids that no library would.
// Header blocks are not compressed. Source: RFC 9113, 4 and 6; RFC 7541, 6.2.2.

export const FRAME = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const FLAG = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 0x20 } as const;

export const SETTING = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
} as const;

export const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

const HEAD_BYTES = 9;

/** @param length length field to send instead of the true length */
export function frame(
  type: number,
  of: { readonly flags?: number; readonly stream?: number; readonly payload?: Buffer; readonly length?: number } = {},
): Buffer {
  const { flags = 0, stream = 0, payload = Buffer.alloc(0), length = payload.length } = of;
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUIntBE(length & 0xffffff, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream >>> 0, 5);
  return Buffer.concat([head, payload]);
}

export function settings(values: readonly (readonly [id: number, value: number])[] = []): Buffer {
  const payload = Buffer.alloc(values.length * 6);
  for (const [at, [id, value]] of values.entries()) {
    payload.writeUInt16BE(id & 0xffff, at * 6);
    payload.writeUInt32BE(value >>> 0, at * 6 + 2);
  }
  return frame(FRAME.settings, { payload });
}

export const settingsAck = (): Buffer => frame(FRAME.settings, { flags: FLAG.ack });

export const ping = (payload: Buffer = Buffer.alloc(8)): Buffer => frame(FRAME.ping, { payload });

export const windowUpdate = (stream: number, bytes: number): Buffer =>
  frame(FRAME.windowUpdate, { stream, payload: uint32(bytes) });

export const reset = (stream: number, code = 8): Buffer => frame(FRAME.reset, { stream, payload: uint32(code) });

export function headers(
  stream: number,
  fields: readonly (readonly [name: string, value: string])[],
  flags: number = FLAG.endHeaders | FLAG.endStream,
): Buffer {
  return frame(FRAME.headers, { stream, flags, payload: headerBlock(fields) });
}

export type Fields = readonly (readonly [name: string, value: string])[];

export const requestFields = (method: string, path: string, more: Fields = []): Fields => [
  [":method", method],
  [":scheme", "https"],
  [":authority", "127.0.0.1"],
  [":path", path],
  ...more,
];

/** Encodes fields as literals without indexing. */
export function headerBlock(fields: Fields): Buffer {
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.from([0]), hpackText(name), hpackText(value)]));
}

function hpackText(text: string): Buffer {
  const bytes = Buffer.from(text, "latin1");
  return Buffer.concat([hpackLength(bytes.length), bytes]);
}

/** Encodes an integer with a 7-bit prefix. */
function hpackLength(value: number): Buffer {
  if (value < 127) return Buffer.from([value]);
  const bytes = [127];
  let rest = value - 127;
  while (rest >= 128) {
    bytes.push((rest & 127) | 128);
    rest >>>= 7;
  }
  return Buffer.from([...bytes, rest]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}

/** Returns the complete frames, and the number of bytes read. */
export function readFrames(bytes: Buffer): { readonly frames: readonly Frame[]; readonly read: number } {
  const frames: Frame[] = [];
  let at = 0;
  while (bytes.length - at >= HEAD_BYTES) {
    const length = bytes.readUIntBE(at, 3);
    const end = at + HEAD_BYTES + length;
    if (end > bytes.length) break;
    frames.push({
      type: bytes[at + 3] ?? 0,
      flags: bytes[at + 4] ?? 0,
      stream: bytes.readUInt32BE(at + 5) & 0x7fffffff,
      payload: bytes.subarray(at + HEAD_BYTES, end),
    });
    at = end;
  }
  return { frames, read: at };
}
