// Log output to standard error. Lines that cannot be written, because the disk is full or no process reads the pipe,
// are dropped and counted. The program goes on, and logs the loss as soon as a line can be written.
import { fstatSync, writeSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
import { type Log, type LogFields, messageOf } from "./log";

/** Losses of a log since it was opened. */
export interface LogLosses {
  readonly lines: number;
  /** Reason why the last line was lost; "" when it was written. */
  readonly error: string;
  /** @param lost called with the number of lines of each further loss */
  follow(lost: (lines: number) => void): void;
}

export const NO_LOSSES: LogLosses = { lines: 0, error: "", follow() {} };

/** Message logged where lines are missing. */
export const LOSS_MESSAGE = "log lines could not be written";
export interface LossFields {
  readonly [name: string]: unknown;
  readonly error: string;
  readonly linesSinceStart: number;
}

const STANDARD_ERROR = 2;
const NEW_LINE = 10;
/** Maximum size buffered for a slow reader of a pipe. */
const WAITING_MAX_BYTES = 1024 * 1024;

export class LogOutput implements LogLosses {
  private lost = 0;
  private lastError = "";
  private isUntold = false;
  private follower: (lines: number) => void = () => {};
  /** Worker threads have no file descriptors of their own: their standard error leads to the main thread. */
  private readonly isFile = isMainThread && fstatSync(STANDARD_ERROR).isFile();
  /** The last line was written only in part, as happens on a full disk. */
  private isMidLine = false;

  /** @param tell logs a line with `LOSS_MESSAGE` through this output */
  constructor(private readonly tell: (fields: LossFields) => void) {
    ignoreStreamErrors(process.stderr);
  }

  get lines(): number {
    return this.lost;
  }

  get error(): string {
    return this.lastError;
  }

  follow(lost: (lines: number) => void): void {
    this.follower = lost;
  }

  /** Writes whole lines, each with its newline. Never throws. The memory used is bounded. */
  write(text: string): void {
    if (this.isFile) this.writeToFile(text);
    else this.writeToStream(text);
  }

  /** Writes without the stream of Node.js, which takes a partial write for a complete one. */
  private writeToFile(text: string): void {
    const bytes = Buffer.from(this.isMidLine ? `\n${text}` : text);
    let at = 0;
    try {
      while (at < bytes.length) at += writeSync(STANDARD_ERROR, bytes, at);
      this.isMidLine = false;
      this.wrote();
    } catch (error) {
      if (at > 0) this.isMidLine = bytes[at - 1] !== NEW_LINE;
      this.lose(text, messageOf(error));
    }
  }

  private writeToStream(text: string): void {
    if (process.stderr.writableLength + text.length > WAITING_MAX_BYTES) {
      this.lose(text, "the reader of the log has stalled");
      return;
    }
    process.stderr.write(text, (error) => {
      if (error) this.lose(text, messageOf(error));
      // The next lines may be lost as well until the reader has caught up.
      else if (process.stderr.writableLength === 0) this.wrote();
    });
  }

  private lose(text: string, why: string): void {
    const lines = Math.max(1, text.split("\n").length - 1);
    this.lost += lines;
    this.lastError = why;
    this.isUntold = true;
    this.follower(lines);
  }

  private wrote(): void {
    const error = this.lastError;
    this.lastError = "";
    if (!this.isUntold) return;
    this.isUntold = false;
    // Deferred, so that it does not run within the write of another line.
    queueMicrotask(() => this.tell({ error, linesSinceStart: this.lost }));
  }
}

/**
 * Adds a listener for errors of a standard stream. The writer reports them; without a listener they would end the
 * process.
 */
export function ignoreStreamErrors(stream: NodeJS.WriteStream): void {
  if (!stream.listeners("error").includes(ignored)) stream.on("error", ignored);
}

function ignored(): void {}

/**
 * Returns a log that writes one line per message to standard error, in the format of the server's log. For code that
 * must not load the server's log.
 */
export function standardErrorLog(format: "json" | "text"): Log {
  const write =
    (level: string) =>
    (message: string, fields: LogFields = {}) => {
      const timestamp = new Date().toISOString();
      const rest = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
      const text = [timestamp, level, message, ...rest].join(" ");
      output.write(`${format === "text" ? text : JSON.stringify({ ...fields, level, message, timestamp })}\n`);
    };
  const log: Log = { error: write("error"), warn: write("warn"), info: write("info") };
  const output = new LogOutput((fields) => log.warn(LOSS_MESSAGE, fields));
  return log;
}
