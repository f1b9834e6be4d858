// Rate limits of the server, shared by its threads: a token bucket per recently seen key. Each bucket starts full.
import { RecentMap, TokenBucket } from "@orch/platform";
import type { AdmissionClock, Allowance, Allowances } from "../../contract/dependencies";

export class TokenBuckets implements Allowances {
  /** Buckets keyed by allowance name, then by key. */
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
