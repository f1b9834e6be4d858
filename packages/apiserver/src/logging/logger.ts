// The server's log: one JSON object a line on standard error, by winston. Fields are few and fixed: time, level, message, and
// what the caller knows, such as the request's id.

export type LogFields = Readonly<Record<string, unknown>>;

export interface Logger {
  /** Whether `access` lines are written; asked before one is made, because even a suppressed line costs. */
  readonly logsRequests: boolean;
  error(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  /** One line a request. */
  access(message: string, fields: LogFields): void;
}

export interface LoggerOptions {
  /** `--v`: from 3 a line for every request. */
  readonly verbosity: number;
  readonly format: "json" | "text";
}

const ACCESS_VERBOSITY = 3;

/** For servers inside other people's tests. */
export const SILENT: Logger = { logsRequests: false, error() {}, warn() {}, info() {}, access() {} };

export async function createLogger(options: LoggerOptions): Promise<Logger> {
  const winston = (await import("winston")).default;
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

/** An error as fields of a line: its cause and stack belong into the log, never into an answer. */
export function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: String(error) };
  const cause = error.cause instanceof Error ? error.cause.message : undefined;
  return { error: error.message, stack: error.stack, ...(cause === undefined ? {} : { cause }) };
}
