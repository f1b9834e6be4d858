// How the server's seats are shared out among its priority levels: by their shares, and what a level does not need is lent to others.
// Source: facts, http.md "Limits"; metrics.json "apiserver_flowcontrol_request_concurrency_limit"; schema, flowcontrol.
import type { LimitedSpec } from "./flow-spec";

export interface SeatBounds {
  /** Its own. */
  readonly nominal: number;
  /** What it keeps whatever others want. */
  readonly least: number;
  readonly most: number;
}

/**
 * @param total seats of the server
 * @param sharesOfAll of all levels together
 */
export function seatBounds(level: LimitedSpec, total: number, sharesOfAll: number): SeatBounds {
  const { shares, lendablePercent, borrowingLimitPercent } = level;
  const nominal = sharesOfAll === 0 ? 0 : Math.ceil((total * shares) / sharesOfAll);
  const borrowed = borrowingLimitPercent === undefined ? total : Math.round((nominal * borrowingLimitPercent) / 100);
  return { nominal, least: nominal - Math.round((nominal * lendablePercent) / 100), most: nominal + borrowed };
}

export interface SeatDemand extends SeatBounds {
  /** The most seats that were wanted at once, lately. */
  readonly highest: number;
  /** Wanted on average, with room for what is usual. */
  readonly usual: number;
}

/**
 * Seats for each level, in the order of the levels: what each needs of its own first, and the rest in proportion to what is wanted.
 * @param total to be given out; where the levels' least is more than that, each gets its least
 */
export function sharedSeats(levels: readonly SeatDemand[], total: number): readonly number[] {
  const floors = levels.map(({ nominal, least, highest }) => Math.max(least, Math.min(nominal, highest)));
  const most = levels.map((level, at) => Math.max(level.most, floors[at] as number));
  const wanted = levels.map(({ usual }, at) => Math.max(usual, floors[at] as number, LEAST_WANTED));
  if (sum(floors) >= total) return floors;
  if (sum(most) <= total) return most;
  // Everybody gets the same multiple of what is wanted, within bounds: found by halving, for the sum grows with the multiple.
  const at = (multiple: number) =>
    wanted.map((each, index) => clamp(each * multiple, floors[index] as number, most[index] as number));
  let [low, high] = [0, total / LEAST_WANTED];
  for (let step = 0; step < HALVINGS; step += 1) {
    const middle = (low + high) / 2;
    if (sum(at(middle)) > total) high = middle;
    else low = middle;
  }
  return at(low).map((seats) => Math.round(seats));
}

/** Who wants nothing gets the beginnings of a seat, so that multiples are bounded. */
const LEAST_WANTED = 0.1;
const HALVINGS = 60;

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);
const sum = (values: readonly number[]): number => values.reduce((all, each) => all + each, 0);

/** How many seats a level has wanted, over time: those in use and those waited for. */
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

  /** What was wanted since it was last asked. */
  take(nowMs: number): { readonly highest: number; readonly usual: number } {
    this.passTo(nowMs);
    const lengthMs = nowMs - this.beganMs;
    const average = lengthMs > 0 ? this.area / lengthMs : this.current;
    const deviation = lengthMs > 0 ? Math.sqrt(Math.max(this.squares / lengthMs - average * average, 0)) : 0;
    const envelope = average + deviation;
    // More is believed at once, less by and by.
    this.smooth = Math.max(envelope, SMOOTHING * this.smooth + (1 - SMOOTHING) * envelope);
    const { highest, current } = this;
    this.area = 0;
    this.squares = 0;
    this.beganMs = nowMs;
    this.highest = current;
    return { highest, usual: this.smooth };
  }

  private passTo(nowMs: number): void {
    const passed = nowMs - this.sinceMs;
    if (passed <= 0) return;
    this.area += passed * this.current;
    this.squares += passed * this.current * this.current;
    this.sinceMs = nowMs;
  }
}

/** Half of what is believed is of the last five minutes. */
const SMOOTHING = 0.977;
