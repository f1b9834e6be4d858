// A cache of recently used entries with limits on entries and bytes.

export interface Bounds {
  readonly entriesMax: number;
  readonly bytesMax: number;
}

interface Held<Value> {
  readonly value: Value;
  readonly bytes: number;
}

/**
 * The cache has two generations. A used entry is in the young generation or moves to it; a full young generation
 * replaces the old one. No sorting is needed, and an evicted entry was not used while half of the room was filled.
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

  /**
   * Stores a value. A value that would fill a large part of the room is not kept.
   * @param bytes approximate size of key and value
   */
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
