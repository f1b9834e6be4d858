// A cache of bounded size that evicts the least recently used entry.
export class RecentMap<Key, Value> {
  /** Entries in the order of their last use. */
  private readonly kept = new Map<Key, Value>();

  /** @param max maximum number of entries */
  constructor(private readonly max: number) {}

  get size(): number {
    return this.kept.size;
  }

  get(key: Key): Value | undefined {
    const value = this.kept.get(key);
    if (value === undefined) return undefined;
    this.kept.delete(key);
    this.kept.set(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    this.kept.delete(key);
    this.kept.set(key, value);
    if (this.kept.size <= this.max) return;
    const [oldest] = this.kept.keys();
    this.kept.delete(oldest as Key);
  }

  /** Values in the order of their last use. */
  values(): IterableIterator<Value> {
    return this.kept.values();
  }

  delete(key: Key): void {
    this.kept.delete(key);
  }
}
