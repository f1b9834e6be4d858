// Items to be queued later: a heap ordered by time, with one timer for the earliest. A step of the wall clock makes all
// of them due, because some wait for a time of day. Such an item is then added again with the corrected delay.
import type { Clock } from "../time/clock";
import { CLOCK_STEP_NOTICED_MS, ClockSteps } from "../time/clock-steps";

interface Delayed<Item> {
  readonly item: Item;
  readonly at: number;
}

export class DelayedItems<Item> {
  private readonly heap: Delayed<Item>[] = [];
  /** Valid time of each item. A heap entry with another time is stale. */
  private readonly due = new Map<Item, number>();
  private cancelTimer: () => void = () => {};
  private timerAt = Number.POSITIVE_INFINITY;
  private readonly steps: ClockSteps;

  constructor(
    private readonly clock: Clock,
    private readonly ready: (item: Item) => void,
  ) {
    this.steps = new ClockSteps(clock);
  }

  get size(): number {
    return this.due.size;
  }

  /** Adds an item. The earlier of two times is valid. */
  add(item: Item, delayMs: number): void {
    if (this.due.size === 0) this.steps.hasStepped(); // earlier steps concern no item
    const at = this.clock.elapsed() + delayMs;
    const known = this.due.get(item);
    if (known !== undefined && known <= at) return;
    this.due.set(item, at);
    this.rise({ item, at });
    this.schedule();
  }

  clear(): void {
    this.cancelTimer();
    this.timerAt = Number.POSITIVE_INFINITY;
    this.heap.length = 0;
    this.due.clear();
  }

  private schedule(): void {
    const [first] = this.heap;
    if (first === undefined || first.at >= this.timerAt) return;
    this.cancelTimer();
    const now = this.clock.elapsed();
    this.timerAt = Math.min(first.at, now + CLOCK_STEP_NOTICED_MS);
    this.cancelTimer = this.clock.after(Math.max(this.timerAt - now, 0), () => this.ring());
  }

  private ring(): void {
    this.timerAt = Number.POSITIVE_INFINITY;
    const now = this.steps.hasStepped() ? Number.POSITIVE_INFINITY : this.clock.elapsed();
    for (let [first] = this.heap; first !== undefined && first.at <= now; [first] = this.heap) {
      this.dropFirst();
      if (this.due.get(first.item) !== first.at) continue;
      this.due.delete(first.item);
      this.ready(first.item);
    }
    this.schedule();
  }

  private rise(entry: Delayed<Item>): void {
    const { heap } = this;
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.at(parent).at <= entry.at) break;
      heap[at] = this.at(parent);
      at = parent;
    }
    heap[at] = entry;
  }

  private dropFirst(): void {
    const { heap } = this;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && this.at(child + 1).at < this.at(child).at) child += 1;
      if (this.at(child).at >= last.at) break;
      heap[at] = this.at(child);
      at = child;
    }
    heap[at] = last;
  }

  private at(index: number): Delayed<Item> {
    return this.heap[index] as Delayed<Item>;
  }
}
