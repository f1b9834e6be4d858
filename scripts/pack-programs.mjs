// Writes the pack that programs start from. Without a pack, programs load their modules from separate files.
// See packages/platform/bin/packed.js.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { packed } from "./pack/loader.mjs";
import { programModules, refreshStamp, writePack } from "./pack/pack-file.mjs";

if (packed.modules()?.compiled) {
  refreshStamp();
  process.exit(0);
}
writePack(programModules(), new Set());
for (const step of ["choose", "compile"]) {
  const { status, stderr } = spawnSync(
    process.execPath,
    [fileURLToPath(new URL("pack/compile.mjs", import.meta.url)), step],
    { stdio: ["ignore", "ignore", "pipe"], encoding: "utf8", timeout: 120_000 },
  );
  if (status === 0) continue;
  console.error(`programs will start without compiled code, for it could not be had:\n${stderr}`);
  break;
}
