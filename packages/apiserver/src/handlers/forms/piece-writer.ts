// Joins the items of a list into pieces, small enough to be sent while the next is made, large enough to be few.

const PIECE_BYTES = 1024 * 1024;
const FIRST_BYTES = 16 * 1024;
/** UTF-8 of one UTF-16 unit, at most. */
const BYTES_PER_UNIT = 3;
const COMMA = 0x2c;

export class PieceWriter {
  private buffer = Buffer.alloc(0);
  private length = 0;

  constructor(private capacity: number) {}

  get bytes(): number {
    return this.length;
  }

  text(text: string): void {
    this.reserve(text.length * BYTES_PER_UNIT);
    this.length += this.buffer.write(text, this.length);
  }

  copy(bytes: Buffer): void {
    this.reserve(bytes.length);
    this.length += bytes.copy(this.buffer, this.length);
  }

  byte(byte: number): void {
    this.reserve(1);
    this.buffer[this.length++] = byte;
  }

  /** What has been written since the last call; never touched again. */
  take(): Buffer {
    const piece = this.buffer.subarray(0, this.length);
    this.buffer = Buffer.alloc(0);
    this.length = 0;
    return piece;
  }

  private reserve(bytes: number): void {
    const wanted = this.length + bytes;
    if (wanted <= this.buffer.length) return;
    this.capacity = Math.max(this.capacity, wanted, Math.min(this.buffer.length * 2, PIECE_BYTES * 2));
    // Not from the shared pool: a piece waits for its client.
    const larger = Buffer.allocUnsafeSlow(this.capacity);
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }
}

/** @param item writes the item at a position */
export function* itemPieces(
  { head, count, tail }: { readonly head: string; readonly count: number; readonly tail: string },
  item: (at: number, out: PieceWriter) => void,
): Generator<Buffer> {
  const out = new PieceWriter(FIRST_BYTES);
  out.text(head);
  for (let at = 0; at < count; at += 1) {
    if (at > 0) out.byte(COMMA);
    item(at, out);
    if (out.bytes >= PIECE_BYTES) yield out.take();
  }
  out.text(tail);
  yield out.take();
}
