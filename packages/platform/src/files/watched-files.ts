// Detects changes of files, however they are replaced: rewritten, renamed over, or linked elsewhere.
import { type Stats, statSync } from "node:fs";
import { stat } from "node:fs/promises";

export interface Looks {
  readonly everyMs: number;
  /** Time without a change after which a file counts as written completely. */
  readonly settledMs: number;
}

const LOOKS: Looks = { everyMs: 2000, settledMs: 250 };
/** Number of checks after which a file that keeps changing is reported anyway. */
const MAX_LOOKS_FOR_REST = 20;

/**
 * Calls back when any file has changed, by its modification time, inode or size: once per change, after the writing has
 * settled. The present state is the initial one.
 * @returns stops watching
 */
export function watchFiles(
  paths: readonly string[],
  changed: () => void,
  { everyMs, settledMs }: Looks = LOOKS,
): () => void {
  let known = paths.map((path) => orNothing(() => statSync(path)));
  let last = known;
  let unrest = 0;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const look = async (): Promise<void> => {
    const now = await Promise.all(paths.map((path) => stat(path).catch(() => NOTHING)));
    if (isStopped) return;
    const isAtRest = areSame(now, last);
    last = now;
    if (areSame(now, known)) {
      unrest = 0;
      return lookIn(everyMs);
    }
    unrest += 1;
    if (!isAtRest && unrest < MAX_LOOKS_FOR_REST) return lookIn(settledMs);
    known = now;
    unrest = 0;
    lookIn(everyMs);
    changed();
  };
  const lookIn = (delayMs: number): void => {
    timer = setTimeout(() => void look(), delayMs).unref();
  };
  lookIn(Math.min(everyMs, FIRST_LOOK_MS));
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

/** Delay of the first check: the files of a program are often replaced just after its start. */
const FIRST_LOOK_MS = 500;

type Seen = Pick<Stats, "mtimeMs" | "ino" | "size">;

const NOTHING: Seen = { mtimeMs: 0, ino: 0, size: 0 };

const areSame = (some: readonly Seen[], others: readonly Seen[]): boolean =>
  some.every((one, at) => {
    const other = others[at] as Seen;
    return one.mtimeMs === other.mtimeMs && one.ino === other.ino && one.size === other.size;
  });

function orNothing(look: () => Seen): Seen {
  try {
    return look();
  } catch {
    return NOTHING;
  }
}
