// Streams of the process, and what is known about the terminal.
import type { Readable, Writable } from "node:stream";

export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Time of the day, in milliseconds, for ages and dates that people read. */
  readonly now: () => number;
}

/**
 * Returns the streams of the process. A reader that goes away, such as `head`, ends the process quietly; output that
 * cannot be written, for example because the disk is full, ends it with an error.
 */
export function processIo(): Io {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    process.stderr.write(`error: standard output cannot be written: ${error.message}\n`);
    process.exit(1);
  });
  // Nothing can be told when standard error cannot be written. The exit code still tells how the command ended.
  process.stderr.on("error", () => {});
  return {
    // Opening standard input takes 3 ms, and few commands read it.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    environment: process.env,
    now: Date.now,
  };
}

/** Tells whether texts may carry colors. Source: no-color.org. */
export function mayColor(stream: { readonly isTTY?: boolean }, { environment }: Io): boolean {
  return stream.isTTY === true && !environment["NO_COLOR"] && environment["TERM"] !== "dumb";
}
