// What is to be sent, joined: all that is pushed in one turn goes out by one call of the system.
import type { Socket } from "node:net";

/** Copied into one piece up to here; more is handed over as it is. */
const JOINED_MAX_BYTES = 64 * 1024;

export class OutgoingBytes {
  private pieces: Buffer[] = [];
  private total = 0;

  constructor(private readonly socket: Socket) {}

  push(...pieces: readonly Buffer[]): void {
    if (this.pieces.length === 0) setImmediate(this.flush);
    for (const piece of pieces) {
      this.pieces.push(piece);
      this.total += piece.length;
    }
  }

  readonly flush = (): void => {
    const { pieces, total, socket } = this;
    if (pieces.length === 0) return;
    this.pieces = [];
    this.total = 0;
    if (socket.destroyed || socket.writableEnded) return;
    if (total <= JOINED_MAX_BYTES) {
      socket.write(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces, total));
      return;
    }
    socket.cork();
    for (const piece of pieces) socket.write(piece);
    socket.uncork();
  };
}
