// Exclusive allocations that are held, as far as this server knows.

import type { AllocationKey } from "@orch/machinery";
import type { Clock } from "@orch/platform";
import type { WatchCache } from "../cache/watch-cache";

/**
 * How long an allocation counts as held when the cache does not follow the store. Longer than the time in which one
 * write finds another allocation.
 */
const BELIEVED_MS = 2_000;

/** Remembers allocations that a transaction found in the store before the cache received them. */
export class SeenAllocations {
  private readonly revisions = new Map<AllocationKey, number>();
  private readonly clock: Clock;
  /** Epoch of the revisions. */
  private epoch = 0;

  constructor(
    private readonly cache: Pick<WatchCache, "revision" | "epoch" | "holdsRaw" | "follows">,
    clock: Clock,
  ) {
    this.clock = clock;
  }

  note(allocation: AllocationKey, revision: number): void {
    this.forgetOtherEpochs();
    this.revisions.set(allocation, revision);
    if (!this.cache.follows)
      this.clock.after(BELIEVED_MS, () => this.revisions.delete(allocation), { background: true });
  }

  has(allocation: AllocationKey): boolean {
    const at = allocation.lastIndexOf("/");
    return this.isAhead(allocation) || this.cache.holdsRaw(allocation.slice(0, at), allocation.slice(at + 1));
  }

  private forgetOtherEpochs(): void {
    if (this.epoch === this.cache.epoch) return;
    this.epoch = this.cache.epoch;
    this.revisions.clear();
  }

  private isAhead(allocation: AllocationKey): boolean {
    this.forgetOtherEpochs();
    const revision = this.revisions.get(allocation);
    if (revision === undefined) return false;
    if (revision > this.cache.revision) return true;
    this.revisions.delete(allocation);
    return false;
  }
}
