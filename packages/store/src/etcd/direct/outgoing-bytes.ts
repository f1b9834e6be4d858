// What is to be sent, joined: all that is pushed in one turn goes out by one call of the system.
import type { Socket } from "node:net";
import { type Frame, HEAD_BYTES, PAYLOAD_MAX_BYTES, writeHead } from "./frames";

/** Memory in which parts are joined; used again when all that was in it has left. */
const JOINED_BYTES = 64 * 1024;

export class OutgoingBytes {
  /** Before what is being joined. */
  private pieces: Buffer[] = [];
  private joined: Buffer | undefined;
  /** Where in it begins what has not become a piece, and where it ends. */
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
    // The largest are handed over as they are.
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

  /** What has been joined is a piece; what follows is joined behind it. */
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
