// Builds the console in packages/console/dist when an input has changed since the last build: checks its types, then
// bundles it with Vite.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "packages/console");
/** Sources of the package that the console imports. */
const imported = join(root, "packages/access/src");
const stampFile = join(root, ".build/console.json");
/** Folders of the package that are not inputs. */
const MADE = new Set(["dist", "node_modules"]);

const inputs = fingerprintOfInputs();
if (!isBuilt()) {
  const tsc = join(root, "node_modules/.bin/tsc");
  execFileSync(tsc, ["--project", folder], { cwd: root, stdio: "inherit" });
  await build({ root: folder, logLevel: "warn" });
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, JSON.stringify({ inputs, outputs: outputs() }));
}

function isBuilt() {
  if (!existsSync(join(folder, "dist/index.html")) || !existsSync(stampFile)) return false;
  const stamp = JSON.parse(readFileSync(stampFile, "utf8"));
  return stamp.inputs === inputs && stamp.outputs === outputs();
}

/** Returns the names of the built files, which contain hashes of their contents. */
function outputs() {
  return readdirSync(join(folder, "dist"), { recursive: true }).sort().join("\n");
}

function fingerprintOfInputs() {
  const hash = createHash("sha256");
  const files = [
    ...filesBelow(folder),
    ...filesBelow(imported),
    join(root, "package-lock.json"),
    join(root, "tsconfig.base.json"),
  ];
  for (const file of files) hash.update(file.slice(root.length)).update("\0").update(readFileSync(file)).update("\0");
  return hash.digest("hex");
}

function* filesBelow(path) {
  const entries = readdirSync(path, { withFileTypes: true }).sort((one, other) => (one.name < other.name ? -1 : 1));
  for (const entry of entries) {
    if (entry.isDirectory()) {
      if (!MADE.has(entry.name)) yield* filesBelow(join(path, entry.name));
    } else if (!/\.test\.ts$|\.tsbuildinfo$/.test(entry.name)) yield join(path, entry.name);
  }
}
