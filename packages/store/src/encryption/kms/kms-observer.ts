// Callbacks of the providers for metrics of key management services.
import type { Clock } from "@orch/platform";

/** Direction of a value: into the store, or out of it. */
export type Way = "to_storage" | "from_storage";

export interface KmsCall {
  readonly provider: string;
  /** Full method name: `/v2.KeyManagementService/Decrypt`. */
  readonly method: string;
  /** Name of the gRPC status: `OK`, `UNAVAILABLE`. */
  readonly status: string;
  readonly tookSeconds: number;
}

export interface KmsObserver {
  called(call: KmsCall): void;
  /** A data key or seed was generated and encrypted by the service. `keyFailed`: the encryption failed. */
  keyMade(tookSeconds: number): void;
  keyFailed(): void;
  /** A data key was not cached and had to be requested. */
  keyMissed(): void;
  /** Fill level of the cache of data keys in KMS v1. @param share from 0 to 1 of its capacity */
  keysKept(share: number): void;
  /** A value was encrypted or decrypted. @param seconds since the previous value in the same direction */
  passed(way: Way, seconds: number): void;
  /** A service has sent an invalid key id. */
  invalidKeyId(provider: string, why: "empty" | "too_long"): void;
  /** KMS v2 encrypted or decrypted a value with a key of the service. */
  keyUsed(provider: string, keyId: string, way: Way): void;
  /** The service named the key that it encrypts with. */
  keyNamed(provider: string, keyId: string): void;
}

export const UNOBSERVED: KmsObserver = {
  called() {},
  keyMade() {},
  keyFailed() {},
  keyMissed() {},
  keysKept() {},
  passed() {},
  invalidKeyId() {},
  keyUsed() {},
  keyNamed() {},
};

/** Measures the intervals between values. */
export class IntervalMeter {
  private readonly lastAtMs: Partial<Record<Way, number>> = {};

  constructor(private readonly deps: { readonly clock: Clock; readonly observer: KmsObserver }) {}

  note(way: Way): void {
    const nowMs = this.deps.clock.elapsed();
    const lastMs = this.lastAtMs[way];
    if (lastMs !== undefined) this.deps.observer.passed(way, (nowMs - lastMs) / 1000);
    this.lastAtMs[way] = nowMs;
  }
}
