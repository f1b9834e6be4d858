// Progress of long work: a bar on standard error when it is a terminal. Elsewhere, the lines of the work are enough.
import type { Io } from "../process/io";

const BAR_CELLS = 24;
const REDRAW_MS = 100;
/** Work that ends sooner shows no bar. */
const QUIET_MS = 400;
const CLEAR_LINE = "\r\u001b[K";

export interface ProgressOptions {
  /** Verb of the work, such as `applying`. */
  readonly label: string;
  readonly total: number;
}

export class Progress {
  private done = 0;
  private drawn = false;
  private lastMs: number;
  private readonly startMs: number;
  private readonly isShown: boolean;

  constructor(
    private readonly io: Io,
    private readonly options: ProgressOptions,
  ) {
    this.startMs = io.now();
    this.lastMs = this.startMs;
    this.isShown = io.stderr.isTTY === true && io.environment["TERM"] !== "dumb" && options.total > 1;
  }

  /** Counts steps as done. */
  advance(steps = 1): void {
    this.done += steps;
    const now = this.io.now();
    if (!this.isShown || now - this.startMs < QUIET_MS || now - this.lastMs < REDRAW_MS) return;
    this.lastMs = now;
    this.draw(now);
  }

  /** Writes text to standard output above the bar. */
  write(text: string): void {
    this.above(() => this.io.stdout.write(text));
  }

  /** Writes a line to standard error above the bar. */
  tell(line: string): void {
    this.above(() => this.io.stderr.write(`${line}\n`));
  }

  /** Removes the bar. */
  end(): void {
    this.clear();
  }

  private above(write: () => void): void {
    const wasDrawn = this.drawn;
    this.clear();
    write();
    if (wasDrawn) this.draw(this.io.now());
  }

  private draw(now: number): void {
    const { label, total } = this.options;
    this.io.stderr.write(CLEAR_LINE + progressLine({ label, total, done: this.done, elapsedMs: now - this.startMs }));
    this.drawn = true;
  }

  private clear(): void {
    if (!this.drawn) return;
    this.drawn = false;
    this.io.stderr.write(CLEAR_LINE);
  }
}

/** Returns the bar, such as `[#####     ] 50% 500/1000 applying, 12 s left`. */
export function progressLine(of: {
  readonly label: string;
  readonly total: number;
  readonly done: number;
  readonly elapsedMs: number;
}): string {
  const { label, total, elapsedMs } = of;
  const done = Math.min(of.done, total);
  const share = total === 0 ? 1 : done / total;
  const cells = Math.floor(share * BAR_CELLS);
  const bar = "#".repeat(cells).padEnd(BAR_CELLS);
  const leftSeconds = done === 0 ? undefined : Math.ceil(((elapsedMs / done) * (total - done)) / 1000);
  const left = leftSeconds === undefined || done === total ? "" : `, ${leftSeconds} s left`;
  return `[${bar}] ${String(Math.floor(share * 100)).padStart(3)}% ${done}/${total} ${label}${left}`;
}
