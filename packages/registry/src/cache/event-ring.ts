// The recent changes of one resource, by sequence number. It grows while changes come fast, shrinks when they have become rare. It is
// bounded by count, and by the bytes of its objects as they are stored, but for the newest change, which stays whatever it weighs. What
// readers have made of the objects, such as frames, is not counted. What has fallen out is still in the store's history: see history.ts.
//
//   startRevision 40   sequence 7  8  9        firstSequence 7, nextSequence 10
//                      revision 41 43 43       every change of this resource after revision 40 is here

import type { Change } from "./change";

export interface RingBounds {
  readonly countMin: number;
  readonly countMax: number;
  readonly bytesMax: number;
}

/** Counts: facts, http.md 7. */
export const RING_BOUNDS: RingBounds = { countMin: 128, countMax: 102_400, bytesMax: 16 * 1024 * 1024 };

/** A full ring whose oldest change is younger than this doubles; one whose last quarter is older halves. */
const FRESH_MS = 75_000;
/** Frames of changes this far behind the newest are dropped; who still wants one has it made again. */
const FRAMES_KEPT = 512;

export class EventRing {
  private slots: (Change | undefined)[];
  private first = 0;
  private next = 0;
  private bytes = 0;

  /**
   * @param startRevision the revision whose state precedes the first change
   * @param resized told each time that the ring takes on another size
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

  /** The sequence number that the next change will have. */
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
   * The sequence number of the first change after `revision`; `nextSequence` when there is none.
   * @returns undefined for a revision that is older than the first change here: others may have come before it
   */
  positionAfter(revision: number): number | undefined {
    return revision < this.startRevision ? undefined : this.sequenceAfter(revision);
  }

  /** As `positionAfter`, of a revision that is known not to be older than the first change here. */
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

  /** Takes over what another ring of the same resource holds, each change as `from` gives it. */
  continue(former: EventRing, from: (change: Change) => Change): void {
    this.startRevision = former.startRevision;
    for (let sequence = former.firstSequence; sequence < former.nextSequence; sequence += 1) {
      this.append(from(former.at(sequence) as Change));
    }
  }

  /** Forgets everything: the next change is the first after `startRevision`. Sequence numbers go on. */
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
