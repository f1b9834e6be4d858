// The server's log: one JSON object per line on standard error, by winston. Fixed fields: time, level, message; the
// caller adds its own, such as the request id.

import { Writable } from "node:stream";
import {
  fieldTexts,
  LOSS_MESSAGE,
  type Log,
  type LogFields,
  type LogLosses,
  LogOutput,
  NO_LOSSES,
  silentLog,
} from "@orch/platform";

export interface Logger extends Log {
  /** Whether access lines are written. Checked before a line is built, because even a suppressed line has a cost. */
  readonly logsRequests: boolean;
  /** Writes one line per request. */
  access(message: string, fields: LogFields): void;
  /** Passes on lines that another thread of this process has formatted. */
  pass(lines: string): void;
  readonly losses: LogLosses;
}

export interface LoggerOptions {
  /** `--v`: from 3 on, one line per request. */
  readonly verbosity: number;
  readonly format: "json" | "text";
  /** Fields of every line, which tell this process from others that write to the same log. */
  readonly fields?: LogFields;
}

const ACCESS_VERBOSITY = 3;

/** A logger that drops everything, for servers inside tests. */
export const SILENT: Logger = {
  ...silentLog,
  logsRequests: false,
  access() {},
  pass() {},
  losses: NO_LOSSES,
};

export async function createLogger(options: LoggerOptions): Promise<Logger> {
  const winston = require("winston") as typeof import("winston");
  const line =
    options.format === "json"
      ? winston.format.json()
      : winston.format.printf(({ timestamp, level, message, ...fields }) => {
          return [timestamp, level, message, ...fieldTexts(fields)].join(" ");
        });
  const logsRequests = options.verbosity >= ACCESS_VERBOSITY;
  const output = new LogOutput((fields) => void log.warn(LOSS_MESSAGE, fields));
  const log = winston.createLogger({
    level: logsRequests ? "http" : "info",
    defaultMeta: options.fields,
    format: winston.format.combine(winston.format.timestamp(), line),
    transports: [new winston.transports.Stream({ stream: streamTo(output) })],
  });
  return {
    logsRequests,
    error: (message, fields) => void log.error(message, fields),
    warn: (message, fields) => void log.warn(message, fields),
    info: (message, fields) => void log.info(message, fields),
    access: (message, fields) => void log.http(message, fields),
    pass: (lines) => output.write(lines),
    losses: output,
  };
}

/** Writes each line synchronously, so that no queue builds up in or before the stream. */
const streamTo = (output: LogOutput): Writable =>
  new Writable({
    decodeStrings: false,
    write(line: string, _encoding, done) {
      output.write(line);
      done();
    },
  });
