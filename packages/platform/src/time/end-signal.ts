/** Signal that nothing waits for a result any more: an AbortSignal, or an object with this part of its interface. */
export interface EndSignal {
  readonly aborted: boolean;
  /** Latest time of the end, in milliseconds of `performance.now()`. Absent: unknown. */
  readonly endsAtMs?: number;
  /**
   * Called before a long wait for an external service: releases capacity held for the waiting work. Absent: nothing is
   * held.
   */
  standAside?(): void;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Signal that stops running work: an AbortSignal, or a cheaper object with this part of its interface. */
export interface StopSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Signal that never ends. */
export const NEVER_ENDS: EndSignal = Object.freeze({ aborted: false, addEventListener() {}, removeEventListener() {} });

/** The client has left, so that no answer is needed. */
export class ClientGoneError extends Error {
  override readonly name = "ClientGoneError";
}
