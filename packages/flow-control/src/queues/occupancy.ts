// Samples the used fraction of a capacity every millisecond. The samples are counted when the value changes, for all
// milliseconds since.

/** One label set of a histogram. */
interface Observed {
  observe(value: number, times?: number): void;
}

export interface OccupancyRows {
  readonly samples: Observed;
  /** Absent: the minimum and maximum between two samples are not counted. */
  readonly marks?: { readonly lowest: Observed; readonly highest: Observed };
}

export class Occupancy {
  private value = 0;
  private low = 0;
  private high = 0;
  /** Last sampled millisecond. */
  private tick: number;

  constructor(
    private readonly rows: OccupancyRows,
    nowMs: number,
  ) {
    this.tick = Math.floor(nowMs);
  }

  /** @param value ratio to the capacity, usually from 0 to 1 */
  set(value: number, nowMs: number): void {
    const tick = Math.floor(nowMs);
    if (tick > this.tick) this.passTo(tick);
    this.value = value;
    if (value > this.high) this.high = value;
    else if (value < this.low) this.low = value;
  }

  /** Counts the samples since the last change. */
  look(nowMs: number): void {
    this.set(this.value, nowMs);
  }

  private passTo(tick: number): void {
    const { value, rows } = this;
    const looks = tick - this.tick;
    rows.samples.observe(value, looks);
    const { marks } = rows;
    if (marks !== undefined) {
      marks.lowest.observe(this.low);
      marks.highest.observe(this.high);
      if (looks > 1) {
        marks.lowest.observe(value, looks - 1);
        marks.highest.observe(value, looks - 1);
      }
    }
    this.low = value;
    this.high = value;
    this.tick = tick;
  }
}
