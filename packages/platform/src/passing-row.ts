// What comes and goes all the time, in the order in which it came. A Set of such keeps all of them in memory until the next full collection,
// as passing-items.ts tells; here whoever leaves leads to nobody any more, so that nothing is held by what has outlived its time.

/** Where an item stands; it is in its row until it is taken out. */
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

  /** Of the one who came first of those that are there. */
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

  /** @param place of this row @returns whether it was there */
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

  /** From the first to the last. The one that is shown may be taken out meanwhile. */
  *[Symbol.iterator](): IterableIterator<Item> {
    for (let place = this.head; place !== undefined; ) {
      const { item, after } = place;
      yield item;
      place = after;
    }
  }
}
