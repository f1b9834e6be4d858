// What a client sends over a WebSocket, read for its control frames; messages are skipped without being kept. Source: RFC 6455, 5.

export interface ControlFrames {
  ping(payload: Buffer): void;
  /** Asked for, or the only answer to what is no WebSocket frame. */
  close(): void;
}

const EMPTY = Buffer.alloc(0);
const CONTROL = 0x8;
const CONTROL_MAX_BYTES = 125;
const MASK_BYTES = 4;
const CLOSE = 0x8;
const PING = 0x9;

export class IncomingFrames {
  private unread: Buffer = EMPTY;
  /** Bytes of a message that are still to come. */
  private skip = 0;
  private over = false;

  constructor(private readonly control: ControlFrames) {}

  push(piece: Buffer): void {
    if (this.over) return;
    this.unread = this.unread.length === 0 ? piece : Buffer.concat([this.unread, piece]);
    while (!this.over && this.advance());
  }

  /** @returns false when more bytes are needed */
  private advance(): boolean {
    const skipped = Math.min(this.skip, this.unread.length);
    this.unread = this.unread.subarray(skipped);
    this.skip -= skipped;
    if (this.unread.length < 2) return false;
    const [first = 0, second = 0] = this.unread;
    const lengthCode = second & 0x7f;
    const headBytes = 2 + (lengthCode === 126 ? 2 : lengthCode === 127 ? 8 : 0) + MASK_BYTES;
    const isMasked = (second & 0x80) !== 0;
    const opcode = first & 0x0f;
    if (!isMasked || (opcode >= CONTROL && lengthCode > CONTROL_MAX_BYTES)) return this.end();
    if (this.unread.length < headBytes) return false;
    if (opcode < CONTROL) {
      this.skip = this.payloadLength(lengthCode);
      this.unread = this.unread.subarray(headBytes);
      return true;
    }
    if (this.unread.length < headBytes + lengthCode) return false;
    const payload = unmasked(this.unread.subarray(headBytes - MASK_BYTES, headBytes + lengthCode));
    this.unread = this.unread.subarray(headBytes + lengthCode);
    if (opcode === CLOSE) return this.end();
    if (opcode === PING) this.control.ping(payload);
    return true;
  }

  private payloadLength(lengthCode: number): number {
    if (lengthCode === 126) return this.unread.readUInt16BE(2);
    return lengthCode === 127 ? Number(this.unread.readBigUInt64BE(2)) : lengthCode;
  }

  private end(): false {
    this.over = true;
    this.unread = EMPTY;
    this.control.close();
    return false;
  }
}

/** @param masked the mask, then the payload */
function unmasked(masked: Buffer): Buffer {
  const payload = Buffer.from(masked.subarray(MASK_BYTES));
  for (let at = 0; at < payload.length; at += 1) {
    payload[at] = (payload[at] as number) ^ (masked[at % MASK_BYTES] as number);
  }
  return payload;
}
