// Heap of the queues with waiting requests; the next one is on top.

export interface Placed {
  /** Virtual start time of its next request. */
  start: number;
  /** Arrival number of its oldest request: among equal starts the first arrival goes first. */
  arrival: number;
  /** Index in the heap; -1 outside. */
  place: number;
}

export class QueueHeap<Queue extends Placed> {
  private readonly queues: Queue[] = [];

  get size(): number {
    return this.queues.length;
  }

  get top(): Queue | undefined {
    return this.queues[0];
  }

  [Symbol.iterator](): IterableIterator<Queue> {
    return this.queues[Symbol.iterator]();
  }

  add(queue: Queue): void {
    this.queues.push(queue);
    queue.place = this.queues.length - 1;
    this.rise(queue);
  }

  /** Called when its start or its oldest request has changed. Does nothing for a queue outside the heap. */
  moved(queue: Queue): void {
    if (queue.place < 0) return;
    this.rise(queue);
    this.sink(queue);
  }

  remove(queue: Queue): void {
    const { place } = queue;
    if (place < 0) return;
    const last = this.queues.pop() as Queue;
    queue.place = -1;
    if (last === queue) return;
    this.put(last, place);
    this.moved(last);
  }

  private rise(queue: Queue): void {
    while (queue.place > 0) {
      const above = this.queues[(queue.place - 1) >> 1] as Queue;
      if (!isBefore(queue, above)) return;
      this.swap(queue, above);
    }
  }

  private sink(queue: Queue): void {
    for (;;) {
      const at = queue.place * 2 + 1;
      const left = this.queues[at];
      if (left === undefined) return;
      const right = this.queues[at + 1];
      const below = right !== undefined && isBefore(right, left) ? right : left;
      if (!isBefore(below, queue)) return;
      this.swap(queue, below);
    }
  }

  private swap(one: Queue, other: Queue): void {
    const { place } = one;
    this.put(one, other.place);
    this.put(other, place);
  }

  private put(queue: Queue, place: number): void {
    this.queues[place] = queue;
    queue.place = place;
  }
}

/** Whether its turn comes first. */
export const isBefore = (one: Placed, other: Placed): boolean =>
  one.start < other.start || (one.start === other.start && one.arrival < other.arrival);
