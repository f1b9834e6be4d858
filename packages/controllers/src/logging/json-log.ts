// The program's log: one JSON object a line on standard error.
import type { ClientLog } from "@orch/client";

export interface Log extends ClientLog {
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export function jsonLog(write: (line: string) => void): Log {
  const at = (level: string) => (message: string, fields?: Readonly<Record<string, unknown>>) =>
    write(`${JSON.stringify({ ...fields, level, message, timestamp: new Date().toISOString() })}\n`);
  return { info: at("info"), warn: at("warn"), error: at("error") };
}
