// What providers tell of their work with a key management service; whoever counts it has these.

/** A value on its way into the store, or out of it. */
export type Way = "to_storage" | "from_storage";

export interface KmsCall {
  readonly provider: string;
  /** Of the service's interface: `/v2.KeyManagementService/Decrypt`. */
  readonly method: string;
  /** gRPC's name of the outcome: `OK`, `UNAVAILABLE`. */
  readonly status: string;
  readonly tookSeconds: number;
}

export interface KmsObserver {
  called(call: KmsCall): void;
  /** A data key or seed was made; by a service that did not take it, in vain. */
  keyMade(tookSeconds: number): void;
  keyFailed(): void;
  /** A data key had to be asked for. */
  keyMissed(): void;
  /** Of the data keys that the first interface keeps. @param share from 0 to 1 of those that it may keep */
  keysKept(share: number): void;
  /** A value came by. @param seconds since the one before, on the same way */
  passed(way: Way, seconds: number): void;
  /** A service has told of a key by an id that is none. */
  invalidKeyId(provider: string, why: "empty" | "too_long"): void;
}

export const UNOBSERVED: KmsObserver = {
  called() {},
  keyMade() {},
  keyFailed() {},
  keyMissed() {},
  keysKept() {},
  passed() {},
  invalidKeyId() {},
};
