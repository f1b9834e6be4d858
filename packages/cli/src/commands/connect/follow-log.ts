// The log of one container as lines. A log that is followed continues after a lost connection, without repeated lines.
import type { Readable } from "node:stream";
import { type Client, ConnectionError, type PodLogOptions } from "@orch/client";
import { isCode } from "@orch/machinery";

const NEWLINE = 10;
/** A longer line is passed on in parts. */
const LINE_MAX = 1024 * 1024;
const RETRY_MS = 500;
const RETRIES_MAX = 20;
/** RFC 3339 time with nanoseconds, before each line of a log with timestamps. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[-+]\d\d:\d\d) /;

export interface LogOfContainer extends PodLogOptions {
  readonly container: string;
}

/**
 * Passes the lines of a log, each with its newline.
 * @param isRunning tells whether the container still runs, when a followed log has ended
 */
export async function readLog(
  client: Client,
  log: LogOfContainer,
  receive: (line: Buffer) => Promise<void> | void,
  isRunning: () => Promise<boolean>,
): Promise<void> {
  if (log.follow !== true) {
    for await (const line of linesOf(await client.podLog(log))) await receive(line);
    return;
  }
  const last = new LastLine();
  // Times tell where to continue.
  let asked: PodLogOptions = { ...log, timestamps: true };
  for (let failures = 0; ; ) {
    try {
      for await (const line of linesOf(await client.podLog(asked))) {
        failures = 0;
        const text = last.next(line, log.timestamps === true);
        if (text !== undefined) await receive(text);
      }
      if (log.signal?.aborted === true || !last.isKnown || !(await isRunning())) return;
    } catch (error) {
      if (log.signal?.aborted === true) throw log.signal.reason;
      const isLost = error instanceof ConnectionError || isCode(error, 500, 502, 503, 504);
      if (!isLost || failures === RETRIES_MAX || !last.isKnown) throw error;
    }
    failures += 1;
    if (failures > RETRIES_MAX) return;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    if (last.time !== "") {
      const { tailLines: _, sinceSeconds: __, ...rest } = asked;
      asked = { ...rest, sinceTime: last.time };
    }
    last.isAgain();
  }
}

/** Position in a log: the time of the last line, and how many lines had the same time. */
class LastLine {
  time = "";
  private count = 0;
  /** Lines to leave out after the log was opened again. */
  private before: { readonly time: string; left: number } | undefined;

  /** Whether a line was read, so that the log exists. */
  get isKnown(): boolean {
    return this.time !== "";
  }

  /** Returns the line for the reader; undefined when it was passed before. */
  next(line: Buffer, keepsTime: boolean): Buffer | undefined {
    const found = TIMESTAMP.exec(line.subarray(0, 40).toString("latin1"));
    if (found === null) return line;
    const time = found[0].trimEnd();
    if (this.before !== undefined) {
      if (time < this.before.time) return undefined;
      if (time === this.before.time && this.before.left > 0) {
        this.before.left -= 1;
        return undefined;
      }
    }
    this.count = time === this.time ? this.count + 1 : 1;
    this.time = time;
    return keepsTime ? line : line.subarray(found[0].length);
  }

  isAgain(): void {
    if (this.time !== "") this.before = { time: this.time, left: this.count };
  }
}

async function* linesOf(body: Readable): AsyncGenerator<Buffer, void, undefined> {
  let rest: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      let from = 0;
      for (let at = piece.indexOf(NEWLINE); at !== -1; at = piece.indexOf(NEWLINE, from)) {
        const end = piece.subarray(from, at + 1);
        yield rest.length === 0 ? end : Buffer.concat([...rest, end]);
        rest = [];
        length = 0;
        from = at + 1;
      }
      if (from === piece.length) continue;
      rest.push(piece.subarray(from));
      length += piece.length - from;
      if (length < LINE_MAX) continue;
      yield Buffer.concat(rest);
      rest = [];
      length = 0;
    }
    if (length > 0) yield Buffer.concat(rest);
  } catch (cause) {
    throw new ConnectionError(`the connection was lost: ${(cause as Error).message}`, { cause });
  } finally {
    body.destroy();
  }
}
