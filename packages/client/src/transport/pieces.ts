// Bytes that come in pieces, put together at the end.

const SMALL_BYTES = 1024;
const BLOCK_BYTES = 64 * 1024;

/** What has come so far. Small pieces are put together as they come: a million of them would take long to put together at the end. */
export class Pieces {
  length = 0;
  private readonly full: Buffer[] = [];
  private block = NOTHING;
  private used = 0;

  add(piece: Buffer): void {
    this.length += piece.length;
    if (piece.length < SMALL_BYTES && this.full.length > 0) {
      if (this.used + piece.length > this.block.length) this.newBlock();
      this.used += piece.copy(this.block, this.used);
      return;
    }
    this.endBlock();
    this.full.push(piece);
  }

  whole(): Buffer {
    this.endBlock();
    return this.full.length === 1 ? (this.full[0] as Buffer) : Buffer.concat(this.full);
  }

  private newBlock(): void {
    this.endBlock();
    this.block = Buffer.allocUnsafe(BLOCK_BYTES);
  }

  private endBlock(): void {
    if (this.used > 0) this.full.push(this.block.subarray(0, this.used));
    this.block = this.block.subarray(this.used);
    this.used = 0;
  }
}

const NOTHING = Buffer.alloc(0);
