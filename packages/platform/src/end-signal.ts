/** Says that nobody waits any more: an AbortSignal, or whatever has that much of its face. */
export interface EndSignal {
  readonly aborted: boolean;
  /** When it will have been said at the latest, milliseconds of `performance.now()`. Absent: nobody knows. */
  readonly endsAtMs?: number;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Of those for whom somebody waits, whatever happens. */
export const NEVER_ENDS: EndSignal = Object.freeze({ aborted: false, addEventListener() {}, removeEventListener() {} });
