// Log of the program: one line on standard error per entry, as a JSON object or as text.
import { fieldTexts, type Log, type LogFields } from "@orch/platform";

interface Line {
  readonly level: string;
  readonly message: string;
  readonly timestamp: string;
}

type LineForm = (line: Line, fields: LogFields) => string;

const FORMS: Readonly<Record<"json" | "text", LineForm>> = {
  json: (line, fields) => JSON.stringify({ ...fields, ...line }),
  text: ({ level, message, timestamp }, fields) => [timestamp, level, message, ...fieldTexts(fields)].join(" "),
};

/**
 * @param form value of `--logging-format`; any value but `json` and `text` selects by whether the output is a terminal
 */
export function lineLog({
  form,
  isTerminal,
  write,
}: {
  readonly form: string;
  readonly isTerminal: boolean;
  write(line: string): void;
}): Log {
  const text = FORMS[form === "text" || (form !== "json" && isTerminal) ? "text" : "json"];
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}) =>
      write(`${text({ level, message, timestamp: new Date().toISOString() }, fields)}\n`);
  return { info: at("info"), warn: at("warn"), error: at("error") };
}
