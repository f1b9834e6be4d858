// Collects bytes that arrive in pieces.

const SMALL_BYTES = 1024;
const BLOCK_BYTES = 64 * 1024;

/**
 * Collected bytes. Small pieces are copied into blocks as they arrive: joining a million of them at the end would be
 * slow.
 */
export class Pieces {
  length = 0;
  private readonly full: Buffer[] = [];
  private block = NOTHING;
  private used = 0;

  /** Adds the bytes from `start` to before `end` of `data`, which may be reused afterwards. */
  add(data: Buffer, start = 0, end = data.length): void {
    const length = end - start;
    this.length += length;
    if (length < SMALL_BYTES && this.full.length > 0) {
      if (this.used + length > this.block.length) this.newBlock();
      if (length === 1) this.block[this.used] = data[start] as number;
      else data.copy(this.block, this.used, start, end);
      this.used += length;
      return;
    }
    this.endBlock();
    this.full.push(Buffer.from(data.subarray(start, end)));
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
