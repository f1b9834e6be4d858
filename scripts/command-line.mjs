// Parses the command line of a script with parseArgs of Node.js. Handles `--help`, and prints the usage after an error.
import { parseArgs } from "node:util";

/**
 * @param usage text printed for --help and after an error message
 * @param config options of parseArgs; `check(parsed)` returns an error message, or undefined when the values are valid
 */
export function readCommandLine(usage, { options, allowPositionals = false, check = () => undefined }) {
  let parsed;
  let wrong;
  try {
    parsed = parseArgs({ allowPositionals, options: { ...options, help: { type: "boolean" } } });
    if (parsed.values.help) {
      console.log(usage);
      process.exit(0);
    }
    wrong = check(parsed);
  } catch (error) {
    wrong = error.message;
  }
  if (wrong === undefined) return parsed;
  console.error(`error: ${wrong}\n\n${usage}`);
  process.exit(1);
}
