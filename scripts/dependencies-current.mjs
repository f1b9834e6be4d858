// Ends with 0 when node_modules holds exactly what package-lock.json asks for, and links this repository's own programs; else with 1.
// npm keeps the list of what it installed in node_modules/.package-lock.json; optional packages of other platforms are absent there.
import { existsSync, readFileSync, readlinkSync } from "node:fs";

const installed = packagesOf("node_modules/.package-lock.json");
const wanted = Object.entries(packagesOf("package-lock.json"));
const current = wanted
  .filter(([path, { optional }]) => path.includes("node_modules/") && !(optional && installed[path] === undefined))
  .every(([path, { version }]) => installed[path]?.version === version && existsSync(path));
const linked = wanted
  .filter(([path]) => /^packages\/[^/]+$/.test(path))
  .flatMap(([, { bin = {} }]) => Object.entries(bin))
  .every(([name, file]) => linkOf(name)?.endsWith(file));
process.exit(current && linked ? 0 : 1);

/** None, when npm was stopped before it had written the list to its end. */
function packagesOf(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8")).packages;
  } catch {
    return {};
  }
}

/** Where a program's link leads; undefined where there is none. */
function linkOf(name) {
  try {
    return readlinkSync(`node_modules/.bin/${name}`);
  } catch {
    return undefined;
  }
}
