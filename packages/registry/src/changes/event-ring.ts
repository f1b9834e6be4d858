// The recent changes of one resource, by sequence number. The ring grows while changes come fast and shrinks when they
// become rare. It is bounded by count and by the stored size of its objects; the newest change stays whatever its size.
// Values that readers derived from the objects, such as frames, are not counted. Changes that have left the ring are
// still in the store's history: see history.ts.
//
//   startRevision 40   sequence 7  8  9        firstSequence 7, nextSequence 10
//                      revision 41 43 43       every change of this resource after revision 40 is here

import type { Change } from "./change";

export interface RingBounds {
  readonly countMin: number;
  readonly countMax: number;
  readonly bytesMax: number;
}

/** Default bounds. `countMax` follows staging/src/k8s.io/apiserver/pkg/storage/cacher/watch_cache.go. */
export const RING_BOUNDS: RingBounds = { countMin: 128, countMax: 102_400, bytesMax: 16 * 1024 * 1024 };

/** A full ring whose oldest change is younger than this doubles. A full ring whose last quarter is older halves. */
const FRESH_MS = 75_000;
/** Frames of changes this far behind the newest are dropped and built again on demand. */
const FRAMES_KEPT = 512;

export class EventRing {
  private slots: (Change | undefined)[];
  private first = 0;
  private next = 0;
  private bytes = 0;

  /**
   * @param startRevision the revision whose state precedes the first change
   * @param resized called each time that the ring changes its size
   */
  constructor(
    public startRevision: number,
    private readonly bounds: RingBounds = RING_BOUNDS,
    private readonly resized: (change: "grown" | "shrunk") => void = () => {},
  ) {
    this.slots = new Array<Change | undefined>(bounds.countMin);
  }

  get firstSequence(): number {
    return this.first;
  }

  /** The sequence number of the next change. */
  get nextSequence(): number {
    return this.next;
  }

  get capacity(): number {
    return this.slots.length;
  }

  at(sequence: number): Change | undefined {
    return sequence < this.first || sequence >= this.next ? undefined : this.slots[sequence % this.slots.length];
  }

  append(change: Change): void {
    if (this.next - this.first === this.slots.length) this.makeRoom(change.at);
    this.slots[this.next % this.slots.length] = change;
    this.next += 1;
    this.bytes += change.weight;
    this.at(this.next - 1 - FRAMES_KEPT)?.releaseFrames();
    while (this.bytes > this.bounds.bytesMax && this.next - this.first > 1) this.dropFirst();
  }

  /**
   * Returns the sequence number of the first change after `revision`; `nextSequence` when there is none.
   * @returns undefined for a revision older than the first change of the ring: earlier changes may be missing
   */
  positionAfter(revision: number): number | undefined {
    return revision < this.startRevision ? undefined : this.sequenceAfter(revision);
  }

  /** Like `positionAfter`, for a revision that is known not to be older than the first change of the ring. */
  sequenceAfter(revision: number): number {
    let low = this.first;
    let high = this.next;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((this.at(middle) as Change).revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Copies the changes of another ring of the same resource, each mapped by `from`. */
  continue(former: EventRing, from: (change: Change) => Change): void {
    this.startRevision = former.startRevision;
    for (let sequence = former.firstSequence; sequence < former.nextSequence; sequence += 1) {
      this.append(from(former.at(sequence) as Change));
    }
  }

  /**
   * Drops changes up to a revision, whose readers must start anew. The newest ones stay, as many as a small ring holds,
   * for watches that are about to read them.
   */
  forget(revision: number): void {
    const { countMin } = this.bounds;
    while (this.next - this.first > countMin && (this.at(this.first) as Change).revision <= revision) this.dropFirst();
    const needed = Math.max(countMin, this.next - this.first);
    if (needed < this.capacity) this.resize(needed);
  }

  /** Drops everything: the next change is the first one after `startRevision`. Sequence numbers continue. */
  restart(startRevision: number): void {
    this.slots = new Array<Change | undefined>(this.bounds.countMin);
    this.first = this.next;
    this.bytes = 0;
    this.startRevision = startRevision;
  }

  private makeRoom(now: number): void {
    const capacity = this.slots.length;
    const oldest = this.at(this.first) as Change;
    const lastQuarter = this.at(this.next - capacity / 4) as Change;
    if (now - oldest.at < FRESH_MS && capacity < this.bounds.countMax) {
      this.resize(Math.min(capacity * 2, this.bounds.countMax));
    } else if (now - lastQuarter.at > FRESH_MS && capacity > this.bounds.countMin) {
      this.resize(Math.max(capacity / 2, this.bounds.countMin));
    }
    if (this.next - this.first === this.slots.length) this.dropFirst();
  }

  private resize(capacity: number): void {
    this.resized(capacity > this.capacity ? "grown" : "shrunk");
    while (this.next - this.first > capacity) this.dropFirst();
    const slots = new Array<Change | undefined>(capacity);
    for (let sequence = this.first; sequence < this.next; sequence += 1) {
      slots[sequence % capacity] = this.at(sequence);
    }
    this.slots = slots;
  }

  private dropFirst(): void {
    const slot = this.first % this.slots.length;
    const change = this.slots[slot] as Change;
    this.slots[slot] = undefined;
    this.first += 1;
    this.bytes -= change.weight;
    this.startRevision = change.revision;
  }
}
