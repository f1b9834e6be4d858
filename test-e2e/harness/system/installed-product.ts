// The product in a system that has not started yet, with the files in the places where the Debian package has them.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { repository, type Workplace } from "../processes";
import type { BootedSystem } from "./booted-system";

const ASSEMBLE_TIMEOUT_MS = 600_000;
/** Target folders of the parts of `deploy/`. */
const DEPLOYED = {
  systemd: "usr/lib/systemd/system",
  "sysusers.d": "usr/lib/sysusers.d",
  "tmpfiles.d": "usr/lib/tmpfiles.d",
  etc: "etc/orch",
  haproxy: "etc/orch",
};

export function installProduct(system: BootedSystem, workplace: Workplace): void {
  const product = join(workplace.folder(), "orch");
  const script = join(repository, "scripts/dist/assemble.mjs");
  const made = spawnSync(process.execPath, [script, product], { encoding: "utf8", timeout: ASSEMBLE_TIMEOUT_MS });
  if (made.status !== 0) throw new Error(`${made.stdout}${made.stderr}`);
  for (const folder of ["bin", "lib"]) copyInto(join(product, folder), system.file(`usr/${folder}`));
  for (const [part, target] of Object.entries(DEPLOYED)) copyInto(join(product, "deploy", part), system.file(target));
}

function copyInto(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  cpSync(from, to, { recursive: true, verbatimSymlinks: true });
}
