// Parses the command line of a script with parseArgs of Node.js. Handles `--help`, and prints the usage after an error.
import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/**
 * Reports whether a module is the script that Node.js was started with, also by a link to it.
 * @param moduleUrl `import.meta.url` of the module
 */
export const isProgram = (moduleUrl) =>
  process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(moduleUrl);

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
