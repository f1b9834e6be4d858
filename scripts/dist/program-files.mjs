// Copies the program files of a release: the compiled packages of this repository and the third-party packages that
// they need, without declarations, source maps, tests and documentation.
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { thirdPartyPackages } from "./third-party.mjs";

/** Package with helpers of tests only. */
const TESTING = "testing";
const PROGRAM_FILE = /\.(js|cjs|mjs|json|node|css|html)$/;
/** Further files of the pages that the server sends to browsers. */
const PAGE_FILE = /\.(svg|png|woff2)$/;
const DECLARATION = /\.d\.ts$/;
const LICENSE_FILE = /^(licen[cs]e|notice|copying|copyright)/i;
/** Files of a package of this repository that a program does not read. */
const OF_TESTS = /\.test\.|(^|\/)testing\//;
/** Code that V8 has compiled at a build, and the pack, which a release makes anew. */
const COMPILED = /\.(bin|pack)$/;
/** Folders and files of third-party packages that a program does not load. */
const UNUSED = [
  /^(test|tests|__tests__|docs|example|examples|bench|benchmark|benchmarks|coverage|man|\.github)\//,
  /(^|\/)(tsconfig[^/]*|\.?package-lock|bower|component)\.json$/,
  /\.min\.js$|\.(test|spec)\.[cm]?js$/,
];
/** Files that a large package is needed for, when they are few. */
const ONLY = {
  "swagger-ui-dist": ["package.json", "swagger-ui.css", "swagger-ui-bundle.js"],
  "@opentelemetry": /^(package\.json$|build\/src\/|dist\/.*\.cjs$)/,
};

/** @returns folders below `packages` whose packages a release contains */
const releasedPackages = (root) => readdirSync(join(root, "packages")).filter((name) => name !== TESTING);

/**
 * @param root folder of the repository, with a current build
 * @param target receives `node_modules`
 * @returns the third-party packages, by their paths in package-lock.json
 */
export function copyProgramFiles(root, target) {
  const names = releasedPackages(root);
  for (const name of names) copyPackage(join(root, "packages", name), join(target, "node_modules/@orch", name));
  const packages = thirdPartyPackages(root, names);
  for (const place of packages.keys()) copyThirdParty(root, place, join(target, inRelease(place)));
  return packages;
}

/** Returns the path of a package in a release. */
export const inRelease = (place) => place.replace(/^packages\//, "node_modules/@orch/");

/** Copies the compiled files of a package of this repository. @param withTypes also copies the declarations */
export function copyPackage(from, to, { withTypes = false } = {}) {
  const { scripts: _scripts, devDependencies: _tools, files: _files, ...manifest } = manifestOf(from);
  put(join(to, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  const isChosen = (path) =>
    !OF_TESTS.test(path) &&
    [PROGRAM_FILE, PAGE_FILE, ...(withTypes ? [DECLARATION] : [])].some((kind) => kind.test(path)) &&
    !COMPILED.test(path);
  for (const folder of ["bin", "dist", "pages"]) copyTree(join(from, folder), join(to, folder), isChosen);
  if (withTypes) copyTree(from, to, (path) => path === "README.md");
}

function copyThirdParty(root, place, to) {
  const name = place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length);
  const only = ONLY[name] ?? ONLY[dirname(name)];
  copyTree(join(root, place), to, (path) => {
    if (path.startsWith("node_modules/")) return false;
    if (LICENSE_FILE.test(basename(path)) && !path.includes("/")) return true;
    if (only !== undefined) return (Array.isArray(only) ? only.includes(path) : only.test(path)) && isProgram(path);
    return isProgram(path) && !UNUSED.some((unused) => unused.test(path));
  });
}

const isProgram = (path) => PROGRAM_FILE.test(path);

/** Copies the files of a folder that exist and are chosen by their path below it. */
export function copyTree(from, to, isChosen) {
  for (const path of filesBelow(from)) if (isChosen(path)) copyFile(join(from, path), join(to, path));
}

/** Copies a file with one of the modes 0644 and 0755. */
export function copyFile(from, to, mode = 0o644) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
  chmodSync(to, mode);
}

export function put(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Returns the paths of all files below a folder, sorted. */
export function filesBelow(folder, prefix = "") {
  let entries;
  try {
    entries = readdirSync(join(folder, prefix), { withFileTypes: true });
  } catch {
    return [];
  }
  return entries
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = prefix === "" ? entry.name : `${prefix}/${entry.name}`;
      return entry.isDirectory() ? filesBelow(folder, path) : [path];
    });
}

const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
