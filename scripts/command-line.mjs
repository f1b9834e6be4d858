// Words after a script's name: options by node's own parser, `--help`, and a wrong word answered with the usage.
import { parseArgs } from "node:util";

/**
 * @param usage printed for --help, and after what is wrong
 * @param config as parseArgs takes it; `check(parsed)` may return what else is wrong
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
