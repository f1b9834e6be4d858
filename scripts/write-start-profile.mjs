// Writes scripts/pack/start-profile.txt, which tells the build of a release what a server runs at its start. Takes a minute.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recordProfile } from "./dist/assemble.mjs";

const folder = mkdtempSync(join(tmpdir(), "orch-profile-"));
try {
  recordProfile(join(folder, "release"));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
