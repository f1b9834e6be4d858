// The server's log: one JSON object a line on standard error, by winston. Fields are few and fixed: time, level, message, and
// what the caller knows, such as the request's id.

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
  /** Whether `access` lines are written; asked before one is made, because even a suppressed line costs. */
  readonly logsRequests: boolean;
  /** One line a request. */
  access(message: string, fields: LogFields): void;
  /** Lines that a thread of this process has made. */
  pass(lines: string): void;
  readonly losses: LogLosses;
}

export interface LoggerOptions {
  /** `--v`: from 3 a line for every request. */
  readonly verbosity: number;
  readonly format: "json" | "text";
  /** In every line: what tells this process from others that write to the same place. */
  readonly fields?: LogFields;
}

const ACCESS_VERBOSITY = 3;

/** For servers inside other people's tests. */
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

/** It is done with each line at once: nothing waits in it, nor in front of it. */
const streamTo = (output: LogOutput): Writable =>
  new Writable({
    decodeStrings: false,
    write(line: string, _encoding, done) {
      output.write(line);
      done();
    },
  });
