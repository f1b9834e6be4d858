// Exclusive claims that are held, as far as this server knows.

import type { Claim } from "@orch/machinery";
import type { Clock } from "@orch/platform";
import type { WatchCache } from "../cache/watch-cache";

/**
 * How long a claim counts as held when the cache does not follow the store. Longer than the time in which one write
 * finds another claim.
 */
const BELIEVED_MS = 2_000;

/** Remembers claims that a transaction found in the store before the cache received them. */
export class ClaimsSeen {
  private readonly revisions = new Map<Claim, number>();
  private readonly clock: Clock;
  /** Epoch of the revisions. */
  private epoch = 0;

  constructor(
    private readonly cache: Pick<WatchCache, "revision" | "epoch" | "holdsRaw" | "follows">,
    clock: Clock,
  ) {
    this.clock = clock;
  }

  note(claim: Claim, revision: number): void {
    this.forgetOtherEpochs();
    this.revisions.set(claim, revision);
    if (!this.cache.follows) this.clock.after(BELIEVED_MS, () => this.revisions.delete(claim), { background: true });
  }

  has(claim: Claim): boolean {
    const at = claim.lastIndexOf("/");
    return this.isAhead(claim) || this.cache.holdsRaw(claim.slice(0, at), claim.slice(at + 1));
  }

  private forgetOtherEpochs(): void {
    if (this.epoch === this.cache.epoch) return;
    this.epoch = this.cache.epoch;
    this.revisions.clear();
  }

  private isAhead(claim: Claim): boolean {
    this.forgetOtherEpochs();
    const revision = this.revisions.get(claim);
    if (revision === undefined) return false;
    if (revision > this.cache.revision) return true;
    this.revisions.delete(claim);
    return false;
  }
}
