// The npm package of the test server, made once for each build and kept under .build.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { repository } from "./processes";

const PACK = join(repository, "packages/platform/dist/programs.pack");
const NAME = "orch-test-server.tgz";

/** Returns the path of the tarball. */
export function testServerTarball(): string {
  // The pack is written anew by each build.
  const build = createHash("sha256").update(readFileSync(PACK)).digest("hex").slice(0, 16);
  const tarball = join(repository, ".build/test-server", build, NAME);
  if (existsSync(tarball)) return tarball;
  const making = `${dirname(tarball)}.${process.pid}`;
  mkdirSync(making, { recursive: true });
  const script = join(repository, "scripts/bundle-test-server.mjs");
  const made = execFileSync(process.execPath, [script, making], { encoding: "utf8" }).trim();
  renameSync(made, join(making, NAME));
  try {
    renameSync(making, dirname(tarball));
  } catch {
    rmSync(making, { recursive: true, force: true }); // another test has finished first
  }
  return tarball;
}
