// Makes the program files of a release smaller, for the container image: 12 MB less. Comments and blanks go, and files that a
// package has for browsers and for ECMAScript modules beside those that Node.js loads. The pack, from which servers start, is
// made small when it is written.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { filesBelow } from "./program-files.mjs";

/** Files that Node.js does not load from packages of both kinds of modules, by package or by the scope of packages. */
const UNUSED = {
  "@aws-sdk": /^[^/]+\/dist-es\//,
  "@noble/ciphers": /^(esm|src)\//,
  "@smithy": /^[^/]+\/dist-es\//,
  "bignumber.js": /^(bignumber\.mjs$|doc\/)/,
  bowser: /^(bundled\.js|bowser\.mjs)$|^src\//,
  diff: /^(libesm|dist)\//,
  "js-yaml": /^dist\/(browser\/|js-yaml\.mjs$)/,
  protobufjs: /^dist\//,
  re2js: /^build\/index(\.umd)?\.js$/,
  winston: /^dist\//,
  yaml: /^browser\//,
};
/** Their texts are in share/doc/orch/third-party-licenses.txt. */
const LICENSE_FILE = /(^|\/)(licen[cs]e|copying)(\.\w+)?$/i;
const SCRIPT = /\.[cm]?js$/;
const OWN = "node_modules/@orch/";
/** The command loads its own bundle, whose compiled code belongs to its text. */
const BUNDLE = "node_modules/@orch/cli/dist/bundle/";
/** Files for browsers, whose names contain the hash of their content. */
const CONSOLE = "node_modules/@orch/console/";
const STAYING = [BUNDLE, CONSOLE];
/** Bundle that saves a server 20 ms of its start; the one of all commands starts servers, too. */
const SERVER_BUNDLE = `${BUNDLE}server`;
/** The pack names the hash of this file. */
const LOADER = "node_modules/@orch/platform/bin/packed.js";

/** @param lib folder with `node_modules`, whose pack is written */
export function compact(lib) {
  for (const path of filesBelow(lib)) {
    const file = join(lib, path);
    if (isUnused(path) || path.startsWith(SERVER_BUNDLE) || LICENSE_FILE.test(path)) rmSync(file);
    else if (SCRIPT.test(path) && !STAYING.some((folder) => path.startsWith(folder)) && path !== LOADER)
      writeFileSync(file, compacted(file, path));
  }
}

function isUnused(path) {
  const at = path.lastIndexOf("node_modules/");
  if (at < 0) return false;
  const inside = path.slice(at + "node_modules/".length);
  return Object.entries(UNUSED).some(
    ([name, files]) => inside.startsWith(`${name}/`) && files.test(inside.slice(name.length + 1)),
  );
}

function compacted(file, path) {
  const text = readFileSync(file, "utf8");
  // Names of this repository's functions stay, for stack traces.
  const how = path.startsWith(OWN) ? { minifyWhitespace: true, minifySyntax: true } : { minify: true };
  return transformSync(text, { ...how, loader: "js", target: "node20", charset: "utf8", legalComments: "none" }).code;
}
