// Makes the folder of the product, which the archive, the Debian package and the container image contain. See README.md.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, realpathSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isProgram, readCommandLine } from "../command-line.mjs";
import { compact } from "./compact.mjs";
import { copyFile, copyProgramFiles, copyTree, put } from "./program-files.mjs";
import { releaseOf } from "./release.mjs";
import { runTime, SHIPPED } from "./run-times.mjs";
import { writeShared } from "./shared-files.mjs";

const USAGE = `Usage: node scripts/dist/assemble.mjs OUT [--without-run-time] [--compact]

Makes the folder of the product in OUT from the current build. OUT is emptied first.

  --without-run-time  leaves out lib/orch/node; bin/orch uses the node of PATH
  --compact           removes comments, blanks and files that Node.js does not load from lib/orch`;

const root = fileURLToPath(new URL("../..", import.meta.url));

/** @param out folder of the product @returns the release, and its third-party packages */
export async function assemble(out, { withRunTime = true, isCompact = false } = {}) {
  const { release, lib, node, packages } = copyPrograms(out, withRunTime);
  pack(lib, node, "--equal", isCompact);
  keepCommandCode(lib, node);
  const folder = withRunTime ? "launchers" : "launchers/without-run-time";
  for (const name of ["orch", "kubectl-orch"])
    copyFile(join(root, "scripts/dist", folder, name), join(out, "bin", name), 0o755);
  copyTree(join(root, "deploy"), join(out, "deploy"), (path) => path !== "Dockerfile");
  await writeShared(root, out, packages, { withRunTime, release });
  if (isCompact) compact(lib);
  checkPack(lib, node);
  return { release, packages };
}

/** Writes the profile of a start, from servers that run in a folder of the product. @param out the folder */
export function recordProfile(out) {
  const { lib, node } = copyPrograms(out, true);
  pack(lib, node, "--record", false);
}

function copyPrograms(out, withRunTime) {
  if (!existsSync(join(root, "packages/cli/dist/bundle/orch.cjs")))
    throw new Error("there is no build: run make build");
  const release = releaseOf(root);
  rmSync(out, { recursive: true, force: true });
  const lib = join(out, "lib/orch");
  mkdirSync(lib, { recursive: true });
  const packages = copyProgramFiles(root, lib);
  const { epoch: _epoch, version, ...record } = release;
  for (const name of ["apiserver", "controllers"])
    put(join(lib, "node_modules/@orch", name, "dist/build.json"), `${JSON.stringify(record)}\n`);
  put(join(lib, "release.json"), `${JSON.stringify({ version, ...record })}\n`);
  return { release, lib, node: withRunTime ? copyRunTime(lib) : process.execPath, packages };
}

function copyRunTime(lib) {
  const node = join(lib, "node");
  copyFile(join(runTime(SHIPPED), "bin/node"), node, 0o755);
  // Removes the symbols, which only a debugger reads: 33 MB.
  const { error } = spawnSync("strip", [node]);
  if (error !== undefined) console.error("lib/orch/node keeps its symbols: strip, of binutils, is not installed");
  copyAtomicLibrary(lib);
  return node;
}

/**
 * Copies the library libatomic, which Node.js needs and minimal systems lack. The launchers use the copy only where the
 * system has none.
 */
function copyAtomicLibrary(lib) {
  const path = ATOMIC_LIBRARIES.find(existsSync);
  if (path === undefined)
    throw new Error("libatomic.so.1 is not installed: install the package libatomic1 or libatomic");
  copyFile(realpathSync(path), join(lib, "lib/libatomic.so.1"));
}

/** Places of the library in Debian, in Fedora and openSUSE, and in Arch Linux. */
const ATOMIC_LIBRARIES = ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"].map(
  (each) => `${each}/libatomic.so.1`,
);

/** Writes the pack of the programs, whose compiled code V8 accepts from the same version only. */
function pack(lib, node, mode, isCompact) {
  const modules = join(lib, "node_modules/@orch");
  rmSync(join(modules, "platform/dist/programs.pack"), { force: true });
  run(node, [script("pack-programs.mjs"), mode], {
    PACKED_LOADER: join(modules, "platform/bin/packed.js"),
    PACK_FORM: isCompact ? "image" : "release",
  });
}

/** Keeps the compiled code of the command, for the same version of V8. */
function keepCommandCode(lib, node) {
  for (const bundle of ["orch", "server"])
    run(node, ["--hash-seed=1", script("pack/keep-command-code.cjs"), join(lib, "node_modules/@orch/cli"), bundle]);
}

const script = (name) => join(root, "scripts", name);
const run = (node, words, more) =>
  execFileSync(node, words, { stdio: ["ignore", "ignore", "inherit"], env: { ...process.env, ...more } });

/** @throws Error when programs would start from single files, which takes twice as long */
function checkPack(lib, node) {
  const loader = join(lib, "node_modules/@orch/platform/bin/packed.js");
  const script = `process.exit(require(${JSON.stringify(loader)}).modules()?.compiled ? 0 : 1)`;
  if (spawnSync(node, ["--eval", script]).status !== 0) throw new Error(`the pack beside ${loader} is not its own`);
}

if (isProgram(import.meta.url)) {
  const { positionals, values } = readCommandLine(USAGE, {
    options: { "without-run-time": { type: "boolean" }, compact: { type: "boolean" } },
    allowPositionals: true,
    check: ({ positionals }) => (positionals.length === 1 ? undefined : "the folder OUT is needed"),
  });
  await assemble(resolve(positionals[0]), {
    withRunTime: !values["without-run-time"],
    isCompact: values.compact ?? false,
  });
}
