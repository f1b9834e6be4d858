// A memory of what was used lately, bounded in entries and in bytes.

export interface Bounds {
  readonly entriesMax: number;
  readonly bytesMax: number;
}

interface Held<Value> {
  readonly value: Value;
  readonly bytes: number;
}

/**
 * Two halves: what is used is in the young one or comes back to it, and when that is full it becomes the old one, whose place it
 * takes. So nothing is sorted, and what goes was not used while half of the room was filled.
 */
export class RecentEntries<Value> {
  private young = new Map<string, Held<Value>>();
  private old = new Map<string, Held<Value>>();
  private youngBytes = 0;

  constructor(private readonly bounds: Bounds) {}

  get(key: string): Value | undefined {
    const young = this.young.get(key);
    if (young !== undefined) return young.value;
    const old = this.old.get(key);
    if (old === undefined) return undefined;
    this.old.delete(key);
    this.keep(key, old);
    return old.value;
  }

  /** One that alone would fill a good part of the room is not kept. @param bytes about as many as key and value take */
  set(key: string, value: Value, bytes: number): void {
    this.delete(key);
    if (bytes <= this.bounds.bytesMax / 16) this.keep(key, { value, bytes });
  }

  delete(key: string): void {
    const young = this.young.get(key);
    if (young !== undefined) {
      this.young.delete(key);
      this.youngBytes -= young.bytes;
    }
    this.old.delete(key);
  }

  get size(): number {
    return this.young.size + this.old.size;
  }

  private keep(key: string, held: Held<Value>): void {
    const { entriesMax, bytesMax } = this.bounds;
    if (this.young.size + 1 > entriesMax / 2 || this.youngBytes + held.bytes > bytesMax / 2) {
      this.old = this.young;
      this.young = new Map();
      this.youngBytes = 0;
    }
    this.young.set(key, held);
    this.youngBytes += held.bytes;
  }
}
