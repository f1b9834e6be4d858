// A list on its way to the client, in pieces: small enough to be sent while the next is made, large enough to be few. They are written
// into memory that has served before: to get fresh memory costs more than to fill it.
//   writer   takes a piece from the pool, fills it
//   sender   has it until nothing can send its bytes any more
//   pool     has it again; a piece whose sending failed is never seen again, for who knows who still looks at it

import type { LoopTurns } from "@orch/registry";

export const PIECE_BYTES = 128 * 1024;
/** Two for each of half as many lists at once; to those beyond, fresh memory is given. */
const KEPT_MAX = 64;
/** UTF-8 of one UTF-16 unit, at most. */
const BYTES_PER_UNIT = 3;

export class PiecePool {
  private readonly free: Buffer[] = [];

  take(): Buffer {
    return this.free.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES);
  }

  giveBack(piece: Buffer): void {
    if (this.free.length < KEPT_MAX) this.free.push(piece);
  }
}

/**
 * Settles when the bytes have been sent, and are not looked at any more.
 * @throws whatever made it impossible; the bytes may then still be in use
 */
export type SendPiece = (bytes: Buffer, last: boolean) => Promise<void>;

/** Every piece but the last is of the same size; what is written is cut where it must be. */
export class PieceWriter {
  /** Set before anything is written, where it is known by then: how much it will be. */
  bytesInAll: number | undefined;
  private readonly full: Buffer[] = [];
  private piece: Buffer;
  private length = 0;

  constructor(
    private readonly pool: PiecePool,
    private readonly send: SendPiece,
    readonly turns: LoopTurns,
  ) {
    this.piece = pool.take();
  }

  text(text: string): void {
    if (this.length + text.length * BYTES_PER_UNIT > PIECE_BYTES) this.copy(Buffer.from(text));
    else this.length += this.piece.write(text, this.length);
  }

  /** @param start where in the bytes to begin, and `end` where to stop: all of them without */
  copy(bytes: Buffer, start = 0, end = bytes.length): void {
    let at = start;
    while (at < end) {
      if (this.length === PIECE_BYTES) this.turn();
      const copied = bytes.copy(this.piece, this.length, at, end);
      at += copied;
      this.length += copied;
    }
  }

  byte(byte: number): void {
    if (this.length === PIECE_BYTES) this.turn();
    this.piece[this.length++] = byte;
  }

  /** Whether `sendFull` has something to send. */
  get isFull(): boolean {
    return this.full.length > 0;
  }

  /** At the pace of the client, and of the other requests. To be called between items. */
  async sendFull(): Promise<void> {
    for (const piece of this.full.splice(0)) {
      await this.send(piece, false);
      this.pool.giveBack(piece);
    }
    if (this.turns.isOver) await this.turns.next();
  }

  /** Sends the rest. */
  async end(): Promise<void> {
    await this.sendFull();
    await this.send(this.piece.subarray(0, this.length), true);
    this.pool.giveBack(this.piece);
  }

  private turn(): void {
    this.full.push(this.piece);
    this.piece = this.pool.take();
    this.length = 0;
  }
}
