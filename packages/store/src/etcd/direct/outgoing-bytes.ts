// Output buffer of a socket: everything pushed in one turn of the event loop is sent with one system call.
import type { Socket } from "node:net";
import { type Frame, HEAD_BYTES, PAYLOAD_MAX_BYTES, writeHead } from "./frames";

/** Size of the buffer in which small pieces are joined. It is reused when all of its content has been sent. */
const JOINED_BYTES = 64 * 1024;

export class OutgoingBytes {
  /** Pieces before the ones being joined. */
  private pieces: Buffer[] = [];
  private joined: Buffer | undefined;
  /** Start and end of the joined bytes that are not a piece yet. */
  private start = 0;
  private end = 0;
  private isAwaited = false;

  constructor(private readonly socket: Socket) {}

  frame(head: Omit<Frame, "payload">, payload: Buffer): void {
    this.begin();
    const into = this.room(HEAD_BYTES);
    writeHead(into, this.end, head, payload.length);
    this.end += HEAD_BYTES;
    this.add(payload);
  }

  push(bytes: Buffer): void {
    this.begin();
    this.add(bytes);
  }

  private begin(): void {
    if (this.isAwaited) return;
    this.isAwaited = true;
    setImmediate(this.flush);
    if (this.socket.writableLength > 0) return;
    this.start = 0;
    this.end = 0;
  }

  private add(bytes: Buffer): void {
    // Large pieces are not copied.
    if (bytes.length >= PAYLOAD_MAX_BYTES) {
      this.cut();
      this.pieces.push(bytes);
      return;
    }
    bytes.copy(this.room(bytes.length), this.end);
    this.end += bytes.length;
  }

  private room(bytes: number): Buffer {
    if (this.joined !== undefined && this.end + bytes <= JOINED_BYTES) return this.joined;
    this.cut();
    this.start = 0;
    this.end = 0;
    this.joined = Buffer.allocUnsafeSlow(JOINED_BYTES);
    return this.joined;
  }

  /** Ends the present piece. Further bytes are joined after it. */
  private cut(): void {
    if (this.joined === undefined || this.end === this.start) return;
    this.pieces.push(this.joined.subarray(this.start, this.end));
    this.start = this.end;
  }

  readonly flush = (): void => {
    this.isAwaited = false;
    this.cut();
    const { pieces, socket } = this;
    this.pieces = [];
    if (socket.destroyed || socket.writableEnded) return;
    if (pieces.length > 1) socket.cork();
    for (const piece of pieces) socket.write(piece);
    if (pieces.length > 1) socket.uncork();
  };
}
