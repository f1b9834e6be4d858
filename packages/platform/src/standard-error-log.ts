// A log to standard error for code that must not load the server's log.
import type { Log, LogFields } from "./log";
import { LOSS_MESSAGE, LogOutput } from "./log-output";

/** Returns a log that writes one line per message, in the format of the server's log. */
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
