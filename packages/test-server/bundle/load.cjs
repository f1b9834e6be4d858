// Loads the bundle of the server. The code that V8 has compiled is kept in this folder, if it can be written, so that
// later processes need not compile it again. V8 accepts it only from the same version with the same settings.
"use strict";
const { readFileSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { cachedDataVersionTag } = require("node:v8");
const { Script, runInThisContext } = require("node:vm");
const { isMainThread } = require("node:worker_threads");

const BUNDLE = join(__dirname, "server.cjs");
const CODE = join(__dirname, `code-${cachedDataVersionTag()}.bin`);
/** Key of the loaded bundle in the global object of the process, which test runners hide from their tests. */
const LOADED = Symbol.for("@orch/test-server");
/** The modules of Node.js itself, and not those that a test runner puts in their place. */
const nodeRequire = (process.getBuiltinModule?.("node:module") ?? require("node:module")).createRequire(__filename);

module.exports = function load() {
  const globals = runInThisContext("globalThis");
  globals[LOADED] ??= run();
  return globals[LOADED];
};

function run() {
  const cachedData = keptCode();
  const source = readFileSync(BUNDLE, "latin1");
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    filename: BUNDLE,
    ...(cachedData && { cachedData }),
  });
  if (cachedData === undefined && isMainThread) process.once("exit", () => keepCode(script));
  const module = { exports: {} };
  script.runInThisContext()(module.exports, nodeRequire, module, BUNDLE, __dirname);
  return module.exports;
}

function keptCode() {
  try {
    return readFileSync(CODE);
  } catch {
    return undefined;
  }
}

function keepCode(script) {
  const made = `${CODE}.${process.pid}`;
  try {
    writeFileSync(made, script.createCachedData(), { mode: 0o644 });
    renameSync(made, CODE);
  } catch {
    rmSync(made, { force: true }); // the folder cannot be written
  }
}
