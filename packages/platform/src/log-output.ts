// Standard error as a log is written to it: what it cannot take, because its disk is full or nobody reads the pipe, is dropped and counted.
// A program is worth more than what it says of itself: it goes on, and says what is missing as soon as a line gets through.
import { fstatSync, writeSync } from "node:fs";
import { isMainThread } from "node:worker_threads";
import { messageOf } from "./log";

/** What a log has lost since it was opened. */
export interface LogLosses {
  readonly lines: number;
  /** Why the last line was lost; "" where it was not. */
  readonly error: string;
  /** @param lost told how many more are lost, each time */
  follow(lost: (lines: number) => void): void;
}

export const NO_LOSSES: LogLosses = { lines: 0, error: "", follow() {} };

/** For whoever reads the log, where lines are missing in it. */
export const LOSS_MESSAGE = "lines of the log could not be written";
export interface LossFields {
  readonly [name: string]: unknown;
  readonly error: string;
  readonly linesSinceStart: number;
}

const STANDARD_ERROR = 2;
const NEW_LINE = 10;
/** What may wait for the one who reads a pipe. */
const WAITING_MAX_BYTES = 1024 * 1024;

export class LogOutput implements LogLosses {
  private lost = 0;
  private lastError = "";
  private isUntold = false;
  private follower: (lines: number) => void = () => {};
  /** Threads have no descriptors of their own: theirs is a way to the main thread. */
  private readonly isFile = isMainThread && fstatSync(STANDARD_ERROR).isFile();
  /** A full disk takes the beginning of a line where there is room for no more. */
  private isMidLine = false;

  /** @param tell adds a line of `LOSS_MESSAGE`, by this output */
  constructor(private readonly tell: (fields: LossFields) => void) {
    outliveErrors(process.stderr);
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

  /** Whole lines, each with its end. Never throws, and keeps no more than a bounded part in memory. */
  write(text: string): void {
    if (this.isFile) this.writeToFile(text);
    else this.writeToStream(text);
  }

  /** Not by the stream of the run time, which takes a part that was written for the whole. */
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
      this.lose(text, "nobody reads it");
      return;
    }
    process.stderr.write(text, (error) => {
      if (error) this.lose(text, messageOf(error));
      // Before all has been read that waits, the next lines may be lost as well.
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
    // Not from within the log's own work on the line that got through.
    queueMicrotask(() => this.tell({ error, linesSinceStart: this.lost }));
  }
}

/** That a standard stream takes nothing is told to whoever writes; without a listener it would end the process, too. */
export function outliveErrors(stream: NodeJS.WriteStream): void {
  if (!stream.listeners("error").includes(ignored)) stream.on("error", ignored);
}

function ignored(): void {}
