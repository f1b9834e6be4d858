// The programs' own log, for what must not load what makes it there.
import type { Log, LogFields } from "./log";
import { LOSS_MESSAGE, LogOutput } from "./log-output";

/** A line each on standard error, as the server's log has them. */
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
