// install-tools.mjs etcd|haproxy|kubectl|chromium|python3-kubernetes ...: makes each program available as .tools/bin/PROGRAM.
// One on PATH that works and is new enough is used; otherwise its Debian package and the packages that the machine lacks for it
// are unpacked under .tools, which needs no root and cannot clash with installed packages. What is in .tools/bin was tried out
// and is written last, so a run that is killed leaves nothing that a later one would take for whole.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { downloadWithDependencies, unpack } from "./tools/debian-packages.mjs";
import { TOOLS } from "./tools/tools.mjs";

const script = fileURLToPath(import.meta.url);
const tools = join(dirname(script), "../.tools");
const bin = join(tools, "bin");
const sources = [script, ...["debian-packages.mjs", "tools.mjs"].map((file) => join(dirname(script), "tools", file))];
/** Programs made by another version of these scripts are made anew. */
const edition = createHash("sha256")
  .update(sources.map((file) => readFileSync(file)).join("\0"))
  .digest("hex")
  .slice(0, 12);
const root = join(tools, `root-${edition}`);

class ToolError extends Error {}

function main(wanted) {
  const unknown = wanted.find((name) => !Object.hasOwn(TOOLS, name));
  if (unknown !== undefined) throw new ToolError(`unknown tool ${unknown}; known are ${Object.keys(TOOLS).join(", ")}`);
  mkdirSync(bin, { recursive: true });
  const missing = wanted.filter((name) => !isMade(name) && !makeFromPath(name));
  if (missing.length > 0) makeFromPackages(missing);
}

function isMade(name) {
  const path = join(bin, name);
  return existsSync(path) && readFileSync(path, "latin1").slice(0, 200).includes(edition);
}

/** @returns whether there is one on PATH that serves */
function makeFromPath(name) {
  const tool = TOOLS[name];
  if (!tool.fromPath) return false;
  const folders = [...(process.env.PATH ?? "").split(":"), "/usr/sbin", "/sbin"].filter((folder) => folder !== "");
  const found = new Set(folders.filter((folder) => folder !== bin).map((folder) => join(folder, name)));
  for (const path of found) {
    if (!existsSync(path)) continue;
    const flaw = flawOf(path, tool);
    if (flaw === undefined) {
      writeProgram(name, `exec "${path}" "$@"`);
      return true;
    }
    console.error(`${path} is not used: ${flaw}`);
  }
  return false;
}

function makeFromPackages(names) {
  console.error(`Unpacking ${names.map((name) => TOOLS[name].package).join(", ")} from Debian's packages under .tools`);
  // The packages that the machine lacks suffice as a rule. Where an unpacked program does not find what an installed package holds,
  // or where that package is installed in part only, everything is unpacked.
  const failures = new Map();
  for (const dependencies of ["missing", "all"]) {
    const open = dependencies === "missing" ? names : [...failures.keys()];
    if (open.length === 0) break;
    if (dependencies === "all") {
      for (const [name, why] of failures) console.error(`${name}: ${why}; unpacking all that it needs`);
    }
    failures.clear();
    for (const [name, why] of unpackTools(open, dependencies)) failures.set(name, why);
  }
  if (failures.size > 0) {
    const lines = [...failures].map(([name, why]) => `  ${name}: ${why}\n`);
    throw new ToolError(`cannot get\n${lines.join("")}Install the missing programs by hand and try again.`);
  }
  removeOtherRoots();
}

/** @returns for each tool that does not work the reason */
function unpackTools(names, dependencies) {
  const packages = new Map(names.map((name) => [name, [TOOLS[name].package, ...(TOOLS[name].data ?? [])]]));
  const download = join(tools, "download");
  const got = downloadWithDependencies([...new Set([...packages.values()].flat())], download, dependencies);
  unpack(got.archives, root);
  rmSync(download, { recursive: true, force: true });
  const unavailable = new Map(got.failures.map((failure) => [failure.package, failure.why]));
  const flaws = names.map((name) => {
    const missing = packages.get(name).find((wanted) => unavailable.has(wanted));
    if (missing !== undefined) return [name, unavailable.get(missing)];
    const flaw = makeUnpacked(name);
    return [name, flaw && `Debian's package ${TOOLS[name].package} does not work here: ${flaw}`];
  });
  return flaws.filter(([, flaw]) => flaw !== undefined);
}

/** @returns why it does not work, when it does not */
function makeUnpacked(name) {
  const tool = TOOLS[name];
  // A package that the machine has is downloaded all the same, the packages that it needs are not: they are used where they are.
  const unpacked = tool.files.find((file) => existsSync(join(root, file)));
  const program = unpacked === undefined ? tool.files.map((file) => `/${file}`).find(existsSync) : `$root/${unpacked}`;
  if (program === undefined) return `it holds none of ${tool.files.join(", ")}`;
  const path = libraryFolders()
    .map((folder) => `$root/${folder}`)
    .join(":");
  const environment = [
    ...(path === "" ? [] : [`LD_LIBRARY_PATH="${path}"`]),
    ...Object.entries(tool.environment ?? {}).map(([variable, value]) => `${variable}="${value}"`),
    // An interpreter finds its own modules from here, not from where it was built for.
    ...(tool.home !== undefined && unpacked !== undefined ? [`${tool.home}="$root/usr"`] : []),
  ];
  const trial = `${name}.trial`;
  writeProgram(
    trial,
    `root=$(cd "\${0%/*}/.." && pwd)/${basename(root)}\n${environment.join(" ")} exec "${program}" "$@"`,
  );
  const flaw = flawOf(join(bin, trial), tool);
  if (flaw === undefined) renameSync(join(bin, trial), join(bin, name));
  else rmSync(join(bin, trial));
  return flaw;
}

function writeProgram(name, text) {
  const path = join(bin, `${name}.new`);
  writeFileSync(path, `#!/bin/sh\n# Made by scripts/install-tools.mjs, edition ${edition}.\n${text}\n`);
  chmodSync(path, 0o755);
  rmSync(join(bin, name), { force: true }); // it may be a link to somewhere else
  renameSync(path, join(bin, name));
}

/** Where the unpacked shared libraries lie, relative to the root. */
function libraryFolders() {
  const folders = new Set();
  for (const top of ["lib", "usr/lib"]) {
    if (!existsSync(join(root, top))) continue;
    for (const entry of readdirSync(join(root, top), { recursive: true })) {
      if (/^[^/]+-linux-[^/]+\/((pulseaudio|faketime)\/)?[^/]+\.so(\.|$)/.test(entry))
        folders.add(join(top, dirname(entry)));
    }
  }
  return [...folders].sort();
}

/** @returns why this program is of no use, or undefined when it is */
function flawOf(program, { trial, least }) {
  const { status, signal, error, stdout, stderr } = spawnSync(program, trial, { encoding: "utf8", timeout: 120_000 });
  if (error !== undefined) return error.message;
  const said = `${stdout}${stderr}`.trim();
  if (status !== 0) return `it ends with ${signal ?? status}: ${said.split("\n").slice(-3).join(" ")}`;
  const version = /(\d+)\.(\d+)/.exec(said);
  if (least === undefined || version === null) return undefined;
  const [major, minor] = [Number(version[1]), Number(version[2])];
  if (major > least[0] || (major === least[0] && minor >= least[1])) return undefined;
  return `${least.join(".")} or newer is needed, this is ${version[0]}`;
}

/** Removes files that earlier versions of these scripts unpacked and to which no program refers any more. */
function removeOtherRoots() {
  const files = readdirSync(bin, { withFileTypes: true }).filter((entry) => entry.isFile());
  const programs = files.map(({ name }) => readFileSync(join(bin, name), "latin1"));
  const kept = (folder) => programs.some((text) => new RegExp(`/${folder}(?![-\\w])`).test(text));
  for (const folder of readdirSync(tools)) {
    if (/^(root|cache)/.test(folder) && !kept(folder)) rmSync(join(tools, folder), { recursive: true, force: true });
  }
}

/** Runs of several terminals take turns, where the machine has the program for it. */
function takeTurn() {
  if (process.env.INSTALL_TOOLS_TURN !== undefined) return;
  mkdirSync(tools, { recursive: true });
  const again = spawnSync("flock", [join(tools, "lock"), process.execPath, script, ...process.argv.slice(2)], {
    stdio: "inherit",
    env: { ...process.env, INSTALL_TOOLS_TURN: "taken" },
  });
  if (again.error === undefined) process.exit(again.status ?? 1);
}

takeTurn();
try {
  main(process.argv.slice(2));
} catch (error) {
  console.error(`install-tools: ${error instanceof ToolError ? error.message : error.stack}`);
  process.exit(1);
}
