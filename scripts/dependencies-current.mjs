// Ends with 0 when node_modules holds exactly what package-lock.json asks for, else with 1.
// npm keeps the list of what it installed in node_modules/.package-lock.json; optional packages of other platforms are absent there.
import { existsSync, readFileSync } from "node:fs";

const read = (path) => JSON.parse(readFileSync(path, "utf8")).packages;
if (!existsSync("node_modules/.package-lock.json")) process.exit(1);
const installed = read("node_modules/.package-lock.json");
const current = Object.entries(read("package-lock.json"))
  .filter(([path, wanted]) => path.includes("node_modules/") && !(wanted.optional && installed[path] === undefined))
  .every(([path, wanted]) => installed[path]?.version === wanted.version && existsSync(path));
process.exit(current ? 0 : 1);
