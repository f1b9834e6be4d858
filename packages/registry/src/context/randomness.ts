// Random bytes, drawn from the system in blocks: a system call costs more than the bytes.

import { randomFillSync } from "node:crypto";
import type { Randomness } from "@orch/machinery";

const POOL_BYTES = 4_096;

/** Returns a source that hands out every byte once. */
export function pooledRandomness(): Randomness {
  let pool = Buffer.alloc(0);
  let used = 0;
  return (bytes) => {
    if (used + bytes > pool.length) {
      pool = randomFillSync(Buffer.allocUnsafeSlow(Math.max(POOL_BYTES, bytes)));
      used = 0;
    }
    used += bytes;
    return pool.subarray(used - bytes, used);
  };
}
