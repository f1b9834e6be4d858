// Fingerprints of the inputs and outputs of a build, from file names, sizes and modification times. The check for
// changes takes a tenth of a second.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const STAMP = ".build/built.json";
/** Files and folders that a build reads. Excludes generated folders inside them. */
const INPUTS = [
  "package.json",
  "package-lock.json",
  "node_modules/.package-lock.json",
  "tsconfig.json",
  "tsconfig.base.json",
  "proto",
  "scripts",
  "packages",
];
const MADE = new Set(["dist", "generated", "node_modules"]);

/** @returns a fingerprint of the inputs, which changes when a build may produce a different result */
export function inputsOf(root) {
  const { BUILD_COMMIT = "", SOURCE_DATE_EPOCH = "" } = process.env;
  const hash = createHash("sha256").update(
    [process.version, commitOf(root), BUILD_COMMIT, SOURCE_DATE_EPOCH].join(" "),
  );
  for (const name of INPUTS) for (const line of linesOf(root, name)) hash.update(line);
  return hash.digest("hex");
}

/** Reports whether the last build had these inputs and its outputs are unchanged. */
export function isBuilt(root, inputs) {
  try {
    const stamp = JSON.parse(readFileSync(join(root, STAMP), "utf8"));
    return stamp.inputs === inputs && stamp.outputs === outputsOf(root);
  } catch {
    return false;
  }
}

export function noteBuilt(root, inputs) {
  mkdirSync(dirname(join(root, STAMP)), { recursive: true });
  writeFileSync(join(root, STAMP), JSON.stringify({ inputs, outputs: outputsOf(root) }));
}

/** Returns a fingerprint of the outputs without reading each compiled file. */
function outputsOf(root) {
  const packages = readdirSync(join(root, "packages")).map((name) => `packages/${name}`);
  const files = packages.flatMap((folder) => [`${folder}/tsconfig.tsbuildinfo`, `${folder}/dist`]);
  const generated = ["packages/schema/src/generated", "packages/store/src/generated"];
  const record = ["packages/platform/dist/programs.pack", "packages/apiserver/dist/build.json"];
  return [...files, ...generated, ...record].map((name) => lineOf(root, name)).join("");
}

function* linesOf(root, name) {
  const found = statSync(join(root, name), { throwIfNoEntry: false });
  if (found?.isDirectory() !== true) {
    yield lineOf(root, name);
    return;
  }
  for (const each of readdirSync(join(root, name)).sort()) {
    if (!MADE.has(each) && !each.endsWith(".tsbuildinfo")) yield* linesOf(root, `${name}/${each}`);
  }
}

function lineOf(root, name) {
  const found = statSync(join(root, name), { throwIfNoEntry: false });
  if (found === undefined) return `${name} -\n`;
  return found.isDirectory() ? `${name}/\n` : `${name} ${found.size} ${found.mtimeMs}\n`;
}

/** Returns the commit, which `/version` reports. */
function commitOf(root) {
  try {
    return execFileSync("git", ["rev-parse", "HEAD"], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    return ""; // no git, or no commit yet
  }
}
