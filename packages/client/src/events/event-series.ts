// Aggregates repeated events into series. Its only state is the memory of recent events. Source:
// staging/src/k8s.io/client-go/tools/events/event_broadcaster.go.

/** Fields that identify repeated events: all but the note. */
export interface EventIdentity {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly action: string;
  readonly regarding: {
    readonly kind?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
  };
}

export interface Moment {
  /** Milliseconds since 1970, as written to events. */
  readonly nowMs: number;
  /** Monotonic milliseconds, for durations. */
  readonly elapsedMs: number;
}

/**
 * An event and its repetitions. `firstAt` and `lastAt` are milliseconds since 1970, the others monotonic milliseconds.
 */
export interface Series<E extends EventIdentity> {
  readonly event: E;
  /** Unique among the events of its namespace. */
  readonly name: string;
  readonly firstAt: number;
  lastAt: number;
  quietSinceMs: number;
  count: number;
  /** The count last sent to the server, and when. */
  toldCount: number;
  toldAtMs: number;
}

/** A series ends after this time without a repetition. */
export const QUIET_MS = 6 * 60_000;
/** Interval of updates of a continuing series. */
const TELL_EVERY_MS = 30 * 60_000;
const SERIES_MAX = 4096;

/** Recent events. */
export class EventMemory<E extends EventIdentity> {
  private readonly series = new Map<string, Series<E>>();
  private lastName = 0n;

  get isEmpty(): boolean {
    return this.series.size === 0;
  }

  /** Adds an event. @returns the series when it must be sent now, such as at the first and second event */
  add(event: E, at: Moment): Series<E> | undefined {
    const key = keyOf(event);
    const known = this.series.get(key);
    if (known === undefined || at.elapsedMs - known.quietSinceMs >= QUIET_MS) return this.begin(key, event, at);
    known.lastAt = at.nowMs;
    known.quietSinceMs = at.elapsedMs;
    known.count += 1;
    return known.count === 2 || at.elapsedMs - known.toldAtMs >= TELL_EVERY_MS ? told(known, at.elapsedMs) : undefined;
  }

  /** Removes ended series. @returns those with a count not yet sent */
  sweep(elapsedMs: number): readonly Series<E>[] {
    const quiet = [...this.series].filter(([, { quietSinceMs }]) => elapsedMs - quietSinceMs >= QUIET_MS);
    for (const [key] of quiet) this.series.delete(key);
    return this.untold(
      quiet.map(([, series]) => series),
      elapsedMs,
    );
  }

  /** Removes all series. @returns those with a count not yet sent */
  end(elapsedMs: number): readonly Series<E>[] {
    const all = [...this.series.values()];
    this.series.clear();
    return this.untold(all, elapsedMs);
  }

  private begin(key: string, event: E, { nowMs, elapsedMs }: Moment): Series<E> {
    const [oldest] = this.series.keys();
    if (this.series.size >= SERIES_MAX && oldest !== undefined) this.series.delete(oldest);
    const series = {
      event,
      name: this.nameFor(event, nowMs),
      firstAt: nowMs,
      lastAt: nowMs,
      quietSinceMs: elapsedMs,
      count: 1,
      toldCount: 1,
      toldAtMs: elapsedMs,
    };
    this.series.set(key, series);
    return series;
  }

  /** Returns a unique name from the object's name and the time in nanoseconds. */
  private nameFor({ regarding }: E, nowMs: number): string {
    const now = BigInt(Math.floor(nowMs)) * 1_000_000n;
    this.lastName = now > this.lastName ? now : this.lastName + 1n;
    return `${regarding.name ?? ""}.${this.lastName.toString(16)}`;
  }

  private untold(some: readonly Series<E>[], elapsedMs: number): readonly Series<E>[] {
    return some.filter(({ count, toldCount }) => count > toldCount).map((series) => told(series, elapsedMs));
  }
}

function told<E extends EventIdentity>(series: Series<E>, elapsedMs: number): Series<E> {
  series.toldCount = series.count;
  series.toldAtMs = elapsedMs;
  return series;
}

const keyOf = ({ type, reason, action, regarding }: EventIdentity): string =>
  JSON.stringify([type, reason, action, regarding.kind, regarding.namespace, regarding.name, regarding.uid]);
