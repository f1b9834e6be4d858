// Measures the intervals between values.

import type { KmsChannelDeps } from "./kms-channel";
import type { Way } from "./kms-observer";

export class Passing {
  private readonly lastAtMs: Partial<Record<Way, number>> = {};

  constructor(private readonly deps: KmsChannelDeps) {}

  note(way: Way): void {
    const nowMs = this.deps.clock.elapsed();
    const lastMs = this.lastAtMs[way];
    if (lastMs !== undefined) this.deps.observer.passed(way, (nowMs - lastMs) / 1000);
    this.lastAtMs[way] = nowMs;
  }
}
