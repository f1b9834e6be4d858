// Exits 0 when node_modules holds the packages of package-lock.json and links the programs of this repository, else 1.
// npm lists the installed packages in node_modules/.package-lock.json, without optional packages of other platforms.
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

/** Returns the packages of a lock file. Empty when the file is missing or incomplete because npm was stopped. */
function packagesOf(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8")).packages;
  } catch {
    return {};
  }
}

/** Returns the target of a program's link, or undefined when there is no link. */
function linkOf(name) {
  try {
    return readlinkSync(`node_modules/.bin/${name}`);
  } catch {
    return undefined;
  }
}
