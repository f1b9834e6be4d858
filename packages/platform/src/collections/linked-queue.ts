// A queue for items that come and go all the time, in order of insertion. A Set would retain removed items, as
// explained in indexed-bag.ts. Here removed items are unlinked, so that an old one retains nothing.

/** Position of an item, in its queue until it is removed. */
export class QueueNode<Item> {
  before: QueueNode<Item> | undefined = undefined;
  after: QueueNode<Item> | undefined = undefined;
  isInQueue = true;

  constructor(readonly item: Item) {}
}

export class LinkedQueue<Item> {
  size = 0;
  private head: QueueNode<Item> | undefined;
  private tail: QueueNode<Item> | undefined;

  /** Returns the position of the oldest item. */
  get first(): QueueNode<Item> | undefined {
    return this.head;
  }

  add(item: Item): QueueNode<Item> {
    const place = new QueueNode(item);
    place.before = this.tail;
    if (this.tail === undefined) this.head = place;
    else this.tail.after = place;
    this.tail = place;
    this.size += 1;
    return place;
  }

  /** Removes an item. @param place position in this queue @returns whether it was in the queue */
  delete(place: QueueNode<Item>): boolean {
    if (!place.isInQueue) return false;
    const { before, after } = place;
    if (before === undefined) this.head = after;
    else before.after = after;
    if (after === undefined) this.tail = before;
    else after.before = before;
    place.before = undefined;
    place.after = undefined;
    place.isInQueue = false;
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
