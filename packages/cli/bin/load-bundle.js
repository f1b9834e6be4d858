// Runs the command from its bundle, with the code that V8 compiled for it at the build; without a bundle, from the
// separate modules. See scripts/bundle-cli.mjs.
const { existsSync, readFileSync } = require("node:fs");
const { join } = require("node:path");
const { cachedDataVersionTag } = require("node:v8");
const { Script } = require("node:vm");

const BUNDLE = join(__dirname, "../dist/bundle/orch.cjs");
const MAIN = join(__dirname, "../dist/main.js");

module.exports = function run() {
  if (existsSync(BUNDLE)) runBundle();
  else if (existsSync(MAIN)) require(MAIN);
  else {
    console.error("orch is not built yet: run make build");
    process.exitCode = 1;
  }
};

function runBundle() {
  const source = readFileSync(BUNDLE, "utf8");
  const cachedData = compiledCode();
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    filename: BUNDLE,
    ...(cachedData && { cachedData }),
  });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, require, module, BUNDLE, join(BUNDLE, ".."));
  return script;
}

/** Returns the compiled code, which V8 accepts from the same version only. */
function compiledCode() {
  try {
    return readFileSync(join(__dirname, `../dist/bundle/code-${cachedDataVersionTag()}.bin`));
  } catch {
    return undefined;
  }
}

module.exports.runBundle = runBundle;
