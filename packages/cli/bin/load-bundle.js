// Runs the command from one of its two bundles, with the code that V8 compiled for it at the build; without a bundle, from
// the separate modules. See scripts/bundle-cli.mjs.
const { existsSync, readFileSync } = require("node:fs");
const { join } = require("node:path");
const { Script } = require("node:vm");

const BUNDLES = join(__dirname, "../dist/bundle");
const MAIN = join(__dirname, "../dist/main.js");
/** First words of command lines that start servers. The second bundle has the code for these alone; an image lacks it. */
const OF_SERVERS = new Set(["--version", "apiserver", "controller-manager", "standalone", "up", "up-process"]);

/** Runs the command. @returns the script of the bundle, whose compiled code the build keeps; undefined without one */
module.exports = function run() {
  const names = OF_SERVERS.has(process.argv[2]) ? ["server", "orch"] : ["orch"];
  const name = names.find((each) => existsSync(join(BUNDLES, `${each}.cjs`)));
  if (name !== undefined) return runBundle(name);
  if (existsSync(MAIN)) return require(MAIN);
  console.error("orch is not built yet: run make build");
  process.exitCode = 1;
  return undefined;
};

function runBundle(name) {
  const path = join(BUNDLES, `${name}.cjs`);
  const source = readFileSync(path, "latin1");
  const cachedData = compiledCode(name);
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    // The compiled code contains the name. A name without folders makes builds in two folders equal.
    filename: `${name}.cjs`,
    ...(cachedData && { cachedData }),
  });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, requireLazily, module, path, BUNDLES);
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
function compiledCode(name) {
  try {
    return readFileSync(join(BUNDLES, `${name}-${process.version}-${process.arch}.bin`));
  } catch {
    return undefined;
  }
}
