// Allowances that refill: a bucket for each key that was seen lately, each of which starts full. One for a server, whichever thread asks.
import { RecentMap, TokenBucket } from "@orch/platform";
import type { AdmissionClock, Allowance, Allowances } from "./world";

export class KeptAllowances implements Allowances {
  /** By the name of the allowance, then by key. */
  private readonly buckets = new Map<string, RecentMap<string, TokenBucket>>();

  constructor(private readonly clock: Pick<AdmissionClock, "elapsed">) {}

  take({ name, perSecond, burst, keysMax }: Allowance, key: string): boolean {
    let kept = this.buckets.get(name);
    if (kept === undefined) {
      kept = new RecentMap(keysMax);
      this.buckets.set(name, kept);
    }
    let bucket = kept.get(key);
    if (bucket === undefined) {
      bucket = new TokenBucket({ perSecond, burst }, this.clock);
      kept.set(key, bucket);
    }
    return bucket.take();
  }
}
