// What comes and goes all the time, such as requests. A Set of such keeps all of them in memory until the next full collection: its
// table is made anew every few dozen items, the old one refers to the new one, and once one old table has outlived the young generation,
// each that follows is kept for it, with what was in it.

/** Knows where it is; in one collection at a time. */
export interface Placed {
  place: number;
}

export class PassingItems<Item extends object> {
  private readonly items: Item[] = [];

  constructor(private readonly placedOf: (item: Item) => Placed) {}

  get size(): number {
    return this.items.length;
  }

  /** In no order that means anything. Not to be kept: it changes. */
  get all(): readonly Item[] {
    return this.items;
  }

  /** It is in none so far. */
  add(item: Item): void {
    this.placedOf(item).place = this.items.push(item) - 1;
  }

  /** @returns whether it was there */
  delete(item: Item): boolean {
    const { items } = this;
    const { place } = this.placedOf(item);
    if (items[place] !== item) return false;
    const last = items.pop() as Item;
    if (last !== item) {
      items[place] = last;
      this.placedOf(last).place = place;
    }
    return true;
  }

  /** Each that is there from beginning to end is shown, and may be taken out meanwhile, as any other. */
  forEach(show: (item: Item) => void): void {
    for (let at = this.items.length - 1; at >= 0; at -= 1) {
      const item = this.items[at];
      if (item !== undefined) show(item);
    }
  }
}
