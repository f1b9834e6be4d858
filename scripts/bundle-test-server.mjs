// Makes the npm package of the test server from the built packages: one bundle without dependencies. Prints the path of
// the tarball. Usage: node scripts/bundle-test-server.mjs FOLDER
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { openFolders } from "./dist/open-folders.mjs";
import { writeBundle } from "./test-server/bundle.mjs";
import { writePackageFiles } from "./test-server/package-files.mjs";
import { writeTypes } from "./test-server/types.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const [, , destination = ".orch/test-server"] = process.argv;
const folder = mkdtempSync(join(tmpdir(), "test-server-"));
try {
  await writeBundle(root, folder);
  writeTypes(root, join(folder, "types"));
  writePackageFiles(root, folder);
  openFolders(folder);
  const target = resolve(destination);
  mkdirSync(target, { recursive: true });
  const pack = ["pack", "--silent", "--pack-destination", target];
  console.log(join(target, execFileSync("npm", pack, { cwd: folder, encoding: "utf8" }).trim()));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
