// Runs the command from its bundle, with the code that V8 compiled for it at the build; without a bundle, from the
// separate modules. See scripts/bundle-cli.mjs.
const { existsSync, readFileSync } = require("node:fs");
const { basename, join } = require("node:path");
const { Script } = require("node:vm");

const BUNDLE = join(__dirname, "../dist/bundle/orch.cjs");
const MAIN = join(__dirname, "../dist/main.js");

/** Runs the command. @returns the script of the bundle, whose compiled code the build keeps; undefined without one */
module.exports = function run() {
  if (existsSync(BUNDLE)) return runBundle();
  if (existsSync(MAIN)) return require(MAIN);
  console.error("orch is not built yet: run make build");
  process.exitCode = 1;
  return undefined;
};

function runBundle() {
  const source = readFileSync(BUNDLE, "latin1");
  const cachedData = compiledCode();
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    // The compiled code contains the name. A name without folders makes builds in two folders equal.
    filename: basename(BUNDLE),
    ...(cachedData && { cachedData }),
  });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, requireLazily, module, BUNDLE, join(BUNDLE, ".."));
  return script;
}

/** Modules of Node.js that take milliseconds to load and that most commands do not use. */
const LAZY = new Set(
  ["child_process", "dns", "fs/promises", "http", "http2", "https", "readline", "v8", "worker_threads", "zlib"].flatMap(
    (name) => [name, `node:${name}`],
  ),
);

/** Requires a module, or returns a stand-in that loads it when one of its members is first used. */
function requireLazily(name) {
  if (!LAZY.has(name)) return require(name);
  return new Proxy(
    {},
    {
      get: (_, member) => require(name)[member],
      has: (_, member) => member in require(name),
      ownKeys: () => Reflect.ownKeys(require(name)),
      getOwnPropertyDescriptor: (_, member) => {
        const found = Reflect.getOwnPropertyDescriptor(require(name), member);
        return found && { ...found, configurable: true };
      },
    },
  );
}

/** Finds the programs of servers, which are not in the bundle. */
requireLazily.resolve = require.resolve;

/** Returns the compiled code, which V8 accepts from the same version only. */
function compiledCode() {
  try {
    return readFileSync(join(__dirname, `../dist/bundle/code-${process.version}-${process.arch}.bin`));
  } catch {
    return undefined;
  }
}
