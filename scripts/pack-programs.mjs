// Writes the pack that programs start from. Without a pack, programs load their modules from separate files.
// See packages/platform/bin/packed.js. With --equal, the pack holds the compiled code of whole scripts instead of that of
// the functions that have run: two packs of a build are then equal.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { packed } from "./pack/loader.mjs";
import { programModules, refreshStamp, writePack } from "./pack/pack-file.mjs";

if (packed.modules()?.compiled) {
  refreshStamp();
  process.exit(0);
}
writePack(programModules(), new Set());
const script = (name) => fileURLToPath(new URL(`pack/${name}.mjs`, import.meta.url));
const isEqual = process.argv.includes("--equal");
const compiling = isEqual ? ["--hash-seed=1", script("compile-whole")] : [script("compile"), "compile"];
for (const words of [[script("compile"), "choose"], compiling]) {
  const { status, stderr } = spawnSync(process.execPath, words, {
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
    timeout: 120_000,
  });
  if (status === 0) continue;
  if (isEqual) throw new Error(`the programs cannot be compiled:\n${stderr}`);
  console.error(`programs will start without compiled code, for it could not be had:\n${stderr}`);
  break;
}
