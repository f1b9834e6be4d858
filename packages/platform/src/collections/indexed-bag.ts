// A collection for items that come and go all the time, such as requests. A Set of these retains all of them until the
// next full garbage collection. Its table is replaced every few dozen items, and the old table refers to the new one.
// Once an old table has been promoted to the old generation, it retains all following tables and their items.

/** An item's position in the collection. An item is in one collection at a time. */
export interface Placed {
  place: number;
}

export class IndexedBag<Item extends object> {
  private readonly items: Item[] = [];

  constructor(private readonly placedOf: (item: Item) => Placed) {}

  get size(): number {
    return this.items.length;
  }

  /** Items in no particular order. The array changes and must not be kept. */
  get all(): readonly Item[] {
    return this.items;
  }

  /** Adds an item that is in no collection. */
  add(item: Item): void {
    this.placedOf(item).place = this.items.push(item) - 1;
  }

  /** Removes an item. @returns whether it was in the collection */
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

  /** Visits each item that stays in the collection throughout. Items may be removed meanwhile. */
  forEach(show: (item: Item) => void): void {
    for (let at = this.items.length - 1; at >= 0; at -= 1) {
      const item = this.items[at];
      if (item !== undefined) show(item);
    }
  }
}
