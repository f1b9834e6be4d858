// Log of a program, for its operator. Fields contain no credentials and no object contents.

const { inFiles } = require("../../bin/packed") as { inFiles(stack: string): string };

export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  error(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
}

export const silentLog: Log = { error: () => {}, warn: () => {}, info: () => {} };

/** An error with a cause outside of the program, such as a full disk. Its stack trace is omitted. */
export interface ExternalError {
  readonly isOutside: boolean;
}

const isOutside = (error: unknown): boolean =>
  error instanceof Error && ((error as Partial<ExternalError>).isOutside === true || isOutside(error.cause));

/** Returns an error as log fields. Its cause and stack belong in the log, never in a response. */
export function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: String(error) };
  const cause = error.cause instanceof Error ? error.cause.message : undefined;
  return {
    error: error.message,
    ...(isOutside(error) ? {} : { stack: error.stack && inFiles(error.stack) }),
    ...(cause === undefined ? {} : { cause }),
  };
}

/** Returns fields in the text format. Undefined values are left out, as in JSON. */
export const fieldTexts = (fields: LogFields): readonly string[] =>
  Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${JSON.stringify(value)}`]));

/** Returns the message of any thrown value. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
