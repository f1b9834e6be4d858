// What a program tells its operator. Fields hold no credentials and no object contents.

const { inFiles } = require("../bin/packed") as { inFiles(stack: string): string };

export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  error(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
}

export const silentLog: Log = { error: () => {}, warn: () => {}, info: () => {} };

/** An error whose reason lies outside the program, such as a disk without room: where in the program it shows is of no use to anybody. */
export interface OutsideReason {
  readonly isOutside: boolean;
}

const isOutside = (error: unknown): boolean =>
  error instanceof Error && ((error as Partial<OutsideReason>).isOutside === true || isOutside(error.cause));

/** An error as fields of a line: its cause and stack belong into the log, never into an answer. */
export function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: String(error) };
  const cause = error.cause instanceof Error ? error.cause.message : undefined;
  return {
    error: error.message,
    ...(isOutside(error) ? {} : { stack: error.stack && inFiles(error.stack) }),
    ...(cause === undefined ? {} : { cause }),
  };
}

/** Fields as lines of text have them. As in JSON, those without a value are left out. */
export const fieldTexts = (fields: LogFields): readonly string[] =>
  Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${JSON.stringify(value)}`]));

/** What an error says, whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
