// Ends with 0 when node_modules holds exactly what package-lock.json asks for, else with 1.
// npm keeps the list of what it installed in node_modules/.package-lock.json; optional packages of other platforms are absent there.
import { existsSync, readFileSync } from "node:fs";

const installed = packagesOf("node_modules/.package-lock.json");
const current = Object.entries(packagesOf("package-lock.json"))
  .filter(([path, wanted]) => path.includes("node_modules/") && !(wanted.optional && installed[path] === undefined))
  .every(([path, wanted]) => installed[path]?.version === wanted.version && existsSync(path));
process.exit(current ? 0 : 1);

/** None, when npm was stopped before it had written the list to its end. */
function packagesOf(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8")).packages;
  } catch {
    return {};
  }
}
