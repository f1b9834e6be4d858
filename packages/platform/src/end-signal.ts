/** Says that nobody waits any more: an AbortSignal, or whatever has that much of its face. */
export interface EndSignal {
  readonly aborted: boolean;
  /** When it will have been said at the latest, milliseconds of `performance.now()`. Absent: nobody knows. */
  readonly endsAtMs?: number;
  /** Called by who waits long for somebody outside: what is held for those who work goes to others. Absent: nothing is held. */
  standAside?(): void;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Ends what is under way: an AbortSignal, or whatever has that much of its face and costs less. */
export interface StopSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Of those for whom somebody waits, whatever happens. */
export const NEVER_ENDS: EndSignal = Object.freeze({ aborted: false, addEventListener() {}, removeEventListener() {} });
