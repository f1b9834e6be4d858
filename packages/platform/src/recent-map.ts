// What was used lately, by its key. Bounded: what was used longest ago goes first.
export class RecentMap<Key, Value> {
  /** In the order of their last use. */
  private readonly kept = new Map<Key, Value>();

  /** @param max how many there are at most */
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

  delete(key: Key): void {
    this.kept.delete(key);
  }
}
