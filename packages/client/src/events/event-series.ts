// Which events are news, and which tell again what one before them told. Pure but for what it remembers.
// Source: facts, client.md "Events".

/** What makes two events the same one: everything but the words. */
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
  /** Milliseconds since 1970: shown in events. */
  readonly nowMs: number;
  /** Milliseconds that never run backwards: for how long something lasts. */
  readonly elapsedMs: number;
}

/** One event that may have come several times. `firstAt` and `lastAt` are milliseconds since 1970, the others of elapsed time. */
export interface Series<E extends EventIdentity> {
  readonly event: E;
  /** Unique among the events of its namespace. */
  readonly name: string;
  readonly firstAt: number;
  lastAt: number;
  quietSinceMs: number;
  count: number;
  /** The count that the server was last told, and when. */
  toldCount: number;
  toldAtMs: number;
}

/** Nothing more is expected of a series that has been quiet for this long. */
export const QUIET_MS = 6 * 60_000;
/** A series that goes on is told this often. */
const TELL_EVERY_MS = 30 * 60_000;
const SERIES_MAX = 4096;

/** The events of the last minutes. */
export class EventMemory<E extends EventIdentity> {
  private readonly series = new Map<string, Series<E>>();
  private lastName = 0n;

  get isEmpty(): boolean {
    return this.series.size === 0;
  }

  /** @returns the series, where the server is to be told of it now: the first event, and the second */
  add(event: E, at: Moment): Series<E> | undefined {
    const key = keyOf(event);
    const known = this.series.get(key);
    if (known === undefined || at.elapsedMs - known.quietSinceMs >= QUIET_MS) return this.begin(key, event, at);
    known.lastAt = at.nowMs;
    known.quietSinceMs = at.elapsedMs;
    known.count += 1;
    return known.count === 2 || at.elapsedMs - known.toldAtMs >= TELL_EVERY_MS ? told(known, at.elapsedMs) : undefined;
  }

  /** Forgets what has become quiet. @returns those of them whose last count the server does not know */
  sweep(elapsedMs: number): readonly Series<E>[] {
    const quiet = [...this.series].filter(([, { quietSinceMs }]) => elapsedMs - quietSinceMs >= QUIET_MS);
    for (const [key] of quiet) this.series.delete(key);
    return this.untold(
      quiet.map(([, series]) => series),
      elapsedMs,
    );
  }

  /** Forgets everything. @returns as `sweep` */
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

  /** After its object and the time in nanoseconds, of which no two are alike. */
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
