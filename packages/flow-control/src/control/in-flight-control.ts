import type { RequestContext } from "@orch/request";

/** Decides which requests start, wait or are refused. */
export interface InFlightControl {
  /**
   * @returns the function that releases the place, to be called once; undefined for a refused request; an `Awaited`
   * when the request must wait
   */
  admit(context: RequestContext): ReleaseSeat | undefined | Awaited;
  /** Whether watches hold a place too, until they have begun. */
  readonly countsWatches: boolean;
  /** Publishes the metrics of this control. */
  start(): void;
  close(): void;
}

export type ReleaseSeat = () => void;

export interface Awaited {
  /** @param settled called once with the result of `admit`; runs synchronously until its first wait */
  whenSettled(settled: (leave: ReleaseSeat | undefined) => void): void;
}
