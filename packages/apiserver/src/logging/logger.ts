// The server's log: one JSON object a line on standard error, by winston. Fields are few and fixed: time, level, message, and
// what the caller knows, such as the request's id.

import { type Log, type LogFields, silentLog } from "@orch/platform";

export interface Logger extends Log {
  /** Whether `access` lines are written; asked before one is made, because even a suppressed line costs. */
  readonly logsRequests: boolean;
  /** One line a request. */
  access(message: string, fields: LogFields): void;
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
export const SILENT: Logger = { ...silentLog, logsRequests: false, access() {} };

export async function createLogger(options: LoggerOptions): Promise<Logger> {
  const winston = require("winston") as typeof import("winston");
  const line =
    options.format === "json"
      ? winston.format.json()
      : winston.format.printf(({ timestamp, level, message, ...fields }) => {
          const rest = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
          return [timestamp, level, message, ...rest].join(" ");
        });
  const logsRequests = options.verbosity >= ACCESS_VERBOSITY;
  const log = winston.createLogger({
    level: logsRequests ? "http" : "info",
    defaultMeta: options.fields,
    format: winston.format.combine(winston.format.timestamp(), line),
    transports: [new winston.transports.Stream({ stream: process.stderr })],
  });
  return {
    logsRequests,
    error: (message, fields) => void log.error(message, fields),
    warn: (message, fields) => void log.warn(message, fields),
    info: (message, fields) => void log.info(message, fields),
    access: (message, fields) => void log.http(message, fields),
  };
}
