// A queue for items that come and go all the time, in order of insertion. A Set would retain removed items, as
// explained in passing-items.ts. Here removed items are unlinked, so that an old one retains nothing.

/** Position of an item, in its queue until it is removed. */
export class RowPlace<Item> {
  before: RowPlace<Item> | undefined = undefined;
  after: RowPlace<Item> | undefined = undefined;
  isInRow = true;

  constructor(readonly item: Item) {}
}

export class PassingRow<Item> {
  size = 0;
  private head: RowPlace<Item> | undefined;
  private tail: RowPlace<Item> | undefined;

  /** Returns the position of the oldest item. */
  get first(): RowPlace<Item> | undefined {
    return this.head;
  }

  add(item: Item): RowPlace<Item> {
    const place = new RowPlace(item);
    place.before = this.tail;
    if (this.tail === undefined) this.head = place;
    else this.tail.after = place;
    this.tail = place;
    this.size += 1;
    return place;
  }

  /** Removes an item. @param place position in this queue @returns whether it was in the queue */
  delete(place: RowPlace<Item>): boolean {
    if (!place.isInRow) return false;
    const { before, after } = place;
    if (before === undefined) this.head = after;
    else before.after = after;
    if (after === undefined) this.tail = before;
    else after.before = before;
    place.before = undefined;
    place.after = undefined;
    place.isInRow = false;
    this.size -= 1;
    return true;
  }

  /** Iterates from the oldest to the newest item. The current item may be removed meanwhile. */
  *[Symbol.iterator](): IterableIterator<Item> {
    for (let place = this.head; place !== undefined; ) {
      const { item, after } = place;
      yield item;
      place = after;
    }
  }
}
