// Exclusive allocations that are held, and their companions that are gone, as far as this server knows.

import type { AllocationKey } from "@orch/machinery";
import type { Clock } from "@orch/platform";
import type { WatchCache } from "../cache/watch-cache";

/**
 * How long an allocation counts as held when the cache does not follow the store. Longer than the time in which one
 * write finds another allocation.
 */
const BELIEVED_MS = 2_000;

/** Remembers what a transaction found in the store before the cache received it. */
export class SeenAllocations {
  private readonly held = new Map<AllocationKey, number>();
  /** Keys below the root of companions. */
  private readonly gone = new Map<string, number>();
  private readonly clock: Clock;
  /** Epoch of the revisions in both maps. */
  private epoch = 0;

  constructor(
    private readonly cache: Pick<WatchCache, "revision" | "epoch" | "holdsRaw" | "follows">,
    clock: Clock,
  ) {
    this.clock = clock;
  }

  note(allocation: AllocationKey, revision: number): void {
    this.remember(this.held, allocation, revision);
  }

  /** @param key key below the root of a companion @param revision revision at which the store had none */
  noteGone(key: string, revision: number): void {
    this.remember(this.gone, key, revision);
  }

  has(allocation: AllocationKey): boolean {
    const at = allocation.lastIndexOf("/");
    return (
      this.isAhead(this.held, allocation) || this.cache.holdsRaw(allocation.slice(0, at), allocation.slice(at + 1))
    );
  }

  isGone(key: string): boolean {
    return this.isAhead(this.gone, key);
  }

  private remember(revisions: Map<string, number>, key: string, revision: number): void {
    this.forgetOtherEpochs();
    revisions.set(key, revision);
    if (!this.cache.follows) this.clock.after(BELIEVED_MS, () => revisions.delete(key), { background: true });
  }

  private forgetOtherEpochs(): void {
    if (this.epoch === this.cache.epoch) return;
    this.epoch = this.cache.epoch;
    this.held.clear();
    this.gone.clear();
  }

  private isAhead(revisions: Map<string, number>, key: string): boolean {
    this.forgetOtherEpochs();
    const revision = revisions.get(key);
    if (revision === undefined) return false;
    if (revision > this.cache.revision) return true;
    revisions.delete(key);
    return false;
  }
}
