// Writes a list in pieces: small enough that one is sent while the next is made, large enough to be few. Pieces are
// pooled, because allocating memory costs more than filling it.
// writer   takes a piece from the pool and fills it
// sender   holds it until its bytes cannot be sent any more
// pool     gets it back; a piece whose sending failed is not reused, because it may still be referenced

import type { EventLoopYielder } from "@orch/registry";

export const PIECE_BYTES = 128 * 1024;
/** Two pieces for each of half as many concurrent lists. Further lists get fresh memory. */
const KEPT_MAX = 64;
/** Maximum UTF-8 length of one UTF-16 unit. */
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
 * Settles when the bytes have been sent and are not used any more.
 * @throws what prevented the sending; the bytes may still be in use then
 */
export type SendPiece = (bytes: Buffer, last: boolean) => Promise<void>;

/** All pieces but the last have the same size. Content is split where necessary. */
export class PieceWriter {
  /** Total length, set before the first write when it is known by then. */
  bytesInAll: number | undefined;
  private readonly full: Buffer[] = [];
  private piece: Buffer;
  private length = 0;

  constructor(
    private readonly pool: PiecePool,
    private readonly send: SendPiece,
    readonly yielder: EventLoopYielder,
  ) {
    this.piece = pool.take();
  }

  text(text: string): void {
    if (this.length + text.length * BYTES_PER_UNIT > PIECE_BYTES) this.copy(Buffer.from(text));
    else this.length += this.piece.write(text, this.length);
  }

  /** @param start first byte; `end` is exclusive. Default: all bytes */
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

  /** Whether `sendFull` has a piece to send. */
  get isFull(): boolean {
    return this.full.length > 0;
  }

  /** Sends full pieces at the pace of the client and yields to other requests. Call it between items. */
  async sendFull(): Promise<void> {
    for (const piece of this.full.splice(0)) {
      await this.send(piece, false);
      this.pool.giveBack(piece);
    }
    if (this.yielder.isOver) await this.yielder.next();
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
