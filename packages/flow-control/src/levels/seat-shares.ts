// Distributes the server's seats among priority levels by their shares, and lends unused seats. Source: KEP-1040
// (Priority and Fairness), "Borrowing".
import type { SeatShare } from "../schemas/flow-spec";

export interface SeatBounds {
  /** Seats by its shares. */
  readonly nominal: number;
  /** Seats that it keeps whatever other levels want. */
  readonly least: number;
  readonly most: number;
}

/**
 * @param total seats of the server
 * @param sharesOfAll shares of all levels
 */
export function seatBounds(
  level: SeatShare & { readonly borrowingLimitPercent?: number | undefined },
  total: number,
  sharesOfAll: number,
): SeatBounds {
  const { shares, lendablePercent, borrowingLimitPercent } = level;
  const nominal = sharesOfAll === 0 ? 0 : Math.ceil((total * shares) / sharesOfAll);
  const borrowed = borrowingLimitPercent === undefined ? total : Math.round((nominal * borrowingLimitPercent) / 100);
  return { nominal, least: nominal - Math.round((nominal * lendablePercent) / 100), most: nominal + borrowed };
}

export interface SeatDemand extends SeatBounds {
  /** Highest recent demand for seats. */
  readonly highest: number;
  /** Smoothed demand: the average plus the usual variation. */
  readonly usual: number;
}

export interface SharedSeats {
  /** Seats of each level, in order. */
  readonly seats: readonly number[];
  /** Demand by which the seats are distributed. */
  readonly targets: readonly number[];
  /** Multiple of the demand that each level gets within its bounds; 0 when there is nothing to distribute. */
  readonly fairFraction: number;
}

/**
 * Distributes seats among the limited levels: first what each needs of its own seats, and the rest in proportion to
 * demand.
 * @param total seats to distribute
 * @param inExemptUse seats that exempt requests use. When the rest does not suffice for what the levels need, each gets
 * its minimum and a part of what it needs beyond
 */
export function sharedSeats(levels: readonly SeatDemand[], total: number, inExemptUse = 0): SharedSeats {
  const floors = levels.map(({ nominal, least, highest }) => Math.max(least, Math.min(nominal, highest)));
  const targets = levels.map(({ usual }, at) => Math.max(usual, floors[at] as number));
  const left = total - inExemptUse;
  const leastOfAll = sum(levels.map(({ least }) => least));
  if (left <= sum(floors) && inExemptUse > 0) {
    const part = left <= leastOfAll ? 0 : (left - leastOfAll) / (sum(floors) - leastOfAll);
    const seats = levels.map(({ least }, at) => least + Math.round(((floors[at] as number) - least) * part));
    return { seats, targets, fairFraction: 0 };
  }
  const { seats, multiple } = distributed(levels, floors, total);
  return { seats, targets, fairFraction: multiple };
}

function distributed(
  levels: readonly SeatDemand[],
  floors: readonly number[],
  total: number,
): { readonly seats: readonly number[]; readonly multiple: number } {
  const most = levels.map((level, at) => Math.max(level.most, floors[at] as number));
  const wanted = levels.map(({ usual }, at) => Math.max(usual, floors[at] as number, LEAST_WANTED));
  if (sum(floors) >= total) return { seats: floors, multiple: 0 };
  if (sum(most) <= total) return { seats: most, multiple: total / LEAST_WANTED };
  // All levels get the same multiple of their demand, within bounds. The multiple is found by bisection, because the
  // sum grows with it.
  const at = (multiple: number) =>
    wanted.map((each, index) => clamp(each * multiple, floors[index] as number, most[index] as number));
  let [low, high] = [0, total / LEAST_WANTED];
  for (let step = 0; step < HALVINGS; step += 1) {
    const middle = (low + high) / 2;
    if (sum(at(middle)) > total) high = middle;
    else low = middle;
  }
  return { seats: at(low).map((seats) => Math.round(seats)), multiple: low };
}

/** Minimum demand, so that multiples are bounded. */
const LEAST_WANTED = 0.1;
const HALVINGS = 60;

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);
const sum = (values: readonly number[]): number => values.reduce((all, each) => all + each, 0);

/** Demand in one period. */
export interface ObservedDemand {
  readonly highest: number;
  readonly usual: number;
  readonly average: number;
  readonly deviation: number;
}

/** Demand of a level for seats over time: seats in use and seats waited for. */
export class DemandMeter {
  private current = 0;
  private sinceMs: number;
  private beganMs: number;
  private area = 0;
  private squares = 0;
  private highest = 0;
  private smooth = 0;

  constructor(nowMs: number) {
    this.sinceMs = nowMs;
    this.beganMs = nowMs;
  }

  set(seats: number, nowMs: number): void {
    this.passTo(nowMs);
    this.current = seats;
    if (seats > this.highest) this.highest = seats;
  }

  /** Returns the demand since the last call. */
  take(nowMs: number): ObservedDemand {
    this.passTo(nowMs);
    const lengthMs = nowMs - this.beganMs;
    const average = lengthMs > 0 ? this.area / lengthMs : this.current;
    const deviation = lengthMs > 0 ? Math.sqrt(Math.max(this.squares / lengthMs - average * average, 0)) : 0;
    const envelope = average + deviation;
    // A rise counts at once, a fall gradually.
    this.smooth = Math.max(envelope, SMOOTHING * this.smooth + (1 - SMOOTHING) * envelope);
    const { highest, current } = this;
    this.area = 0;
    this.squares = 0;
    this.beganMs = nowMs;
    this.highest = current;
    return { highest, usual: this.smooth, average, deviation };
  }

  private passTo(nowMs: number): void {
    const passed = nowMs - this.sinceMs;
    if (passed <= 0) return;
    this.area += passed * this.current;
    this.squares += passed * this.current * this.current;
    this.sinceMs = nowMs;
  }
}

/** The last five minutes weigh half. */
const SMOOTHING = 0.977;
