// Writes the pack that programs start from. Without a pack, programs load their modules from separate files.
// See packages/platform/bin/packed.js.
// With --equal, the profile of the repository tells which code the pack holds: two packs of a build are then equal. With
// --record, servers run and the profile is written anew.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { packed } from "./pack/loader.mjs";
import { programModules, refreshStamp, writePack } from "./pack/pack-file.mjs";

/** A function that depends on the order of events runs in one of several runs. */
const RECORD = ["record"];
const STEPS = {
  "": [["choose"], ["compile"]],
  "--equal": [["choose", "--listed"], ["compile-listed"]],
  "--record": [["choose", "--record"], RECORD, RECORD, RECORD],
};

/** Options of Node.js, by step. With a fixed seed and without collections of garbage, V8 writes equal code in two runs. */
const OPTIONS = {
  "compile-listed": [
    "--hash-seed=1",
    "--min-semi-space-size=512",
    "--max-semi-space-size=512",
    "--initial-heap-size=2048",
  ],
};

const [, , mode = ""] = process.argv;
if (mode === "" && packed.modules()?.compiled) {
  refreshStamp();
  process.exit(0);
}
writePack(programModules(), { start: new Set(), later: new Set() });
for (const [name, ...words] of STEPS[mode]) {
  const script = fileURLToPath(new URL(`pack/${name}.mjs`, import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [...(OPTIONS[name] ?? []), script, ...words], {
    stdio: ["ignore", "ignore", "pipe"],
    encoding: "utf8",
    timeout: 120_000,
  });
  if (status === 0) continue;
  if (mode !== "") throw new Error(`the programs cannot be compiled:\n${stderr}`);
  console.error(`programs will start without compiled code, for it could not be had:\n${stderr}`);
  break;
}
