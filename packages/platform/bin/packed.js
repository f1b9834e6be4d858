// Loads a program's modules out of one file that the build has made of all of them, each with what V8 has compiled of it: a start
// opens one file where it would look for, read and compile 1,500. The pack stands for one build and the packages installed then: where
// something else is built or installed meanwhile, and where there is no pack, modules are loaded as ever. See scripts/pack-programs.mjs.
const { createHash } = require("node:crypto");
const { openSync, readFileSync, readSync, readdirSync } = require("node:fs");
const { createRequire, wrap } = require("node:module");
const { dirname, join, sep } = require("node:path");
const { Script, constants, runInThisContext } = require("node:vm");

const ROOT = join(__dirname, "../../..");
const PACK = join(ROOT, "packages/platform/dist/programs.pack");
const PACKAGES = join(ROOT, "packages");
/** How long the index is stands before it, in decimal digits. */
const HEAD_BYTES = 16;
/** By then what a start needs is loaded. */
const START_MS = 8_000;

class PackedModules {
  /** Of the modules that were run, by path. */
  scripts = new Map();

  /** @param file descriptor @param start where in it the index ends */
  constructor({ modules, startBytes }, file, start) {
    this.file = file;
    /** Whether V8's compiled code is there too. */
    this.compiled = startBytes > 0;
    this.start = start;
    /** Those that a start needs lie together. */
    this.first = read(file, start, startBytes);
    setTimeout(() => {
      this.first = undefined;
    }, START_MS).unref();
    this.paths = modules.map(({ path }) => ROOT + sep + path);
    this.packed = new Map(modules.map((module, place) => [this.paths[place], module]));
  }

  /** Of one file there is one module, whoever loads it: the run time's are found here, and it finds these. @returns what the file exports */
  load(path) {
    const known = require.cache[path];
    if (known !== undefined) return known.exports;
    const module = {
      id: path,
      path: dirname(path),
      filename: path,
      exports: {},
      loaded: false,
      children: [],
      paths: [],
    };
    require.cache[path] = module;
    try {
      this.run(module);
    } catch (error) {
      delete require.cache[path];
      throw error;
    }
    module.loaded = true;
    return module.exports;
  }

  run(module) {
    const { exports, filename, path } = module;
    const { text, code, requires } = this.found(filename);
    if (filename.endsWith(".json")) {
      module.exports = JSON.parse(text);
      return;
    }
    const script = new Script(text, {
      filename,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      ...(code && { cachedData: code }),
    });
    this.scripts.set(filename, script);
    script.runInThisContext().call(exports, exports, this.requireOf(filename, requires), module, filename, path);
    if (filename.startsWith(PACKAGES + sep)) module.exports = plainExports(module.exports);
  }

  found(path) {
    const packed = this.packed.get(path);
    if (packed === undefined) {
      const text = readFileSync(path, "utf8");
      return { text: path.endsWith(".json") ? text : wrap(text), requires: {} };
    }
    const { at, textLength, codeLength, encoding, requires } = packed;
    const codeAt = textLength + (-textLength & 7);
    const end = codeAt + codeLength;
    const isFirst = at + end <= (this.first?.length ?? 0);
    const bytes = isFirst ? this.first.subarray(at, at + end) : read(this.file, this.start + at, end);
    return {
      text: bytes.toString(encoding, 0, textLength),
      code: codeLength === 0 ? undefined : bytes.subarray(codeAt),
      requires,
    };
  }

  /** @param requires what is known already of what its words lead to */
  requireOf(filename, requires) {
    let made;
    const own = () => {
      made ??= createRequire(filename);
      return made;
    };
    const require = (wanted) => {
      const place = requires[wanted];
      if (place !== undefined) return this.load(this.paths[place]);
      const path = own().resolve(wanted);
      return this.isOurs(path) ? this.load(path) : own()(wanted);
    };
    require.resolve = (wanted) => own().resolve(wanted);
    return require;
  }

  /** What lies beside packed modules is loaded as they are. */
  isOurs(path) {
    return this.packed.has(path) || (path.startsWith(PACKAGES + sep) && path.endsWith(".js"));
  }
}

/**
 * What a module exports once it has run, as values: what the compiler has it pass on from another file is found in a dictionary and read
 * by a function each time, which is a thirtieth of all that a request costs.
 */
function plainExports(exports) {
  const members = Object.values(Object.getOwnPropertyDescriptors(exports));
  if (exports.__esModule !== true || members.every(({ get }) => get === undefined)) return exports;
  const plain = { __esModule: true, ...exports };
  // V8 lays the members of what is a prototype out for reading, however many they are.
  Object.create(plain);
  return plain;
}

/** A test runner's sandbox has globals and modules of its own, which what comes out of the pack would not share. */
const isInSandbox = () => runInThisContext("Array") !== Array;

/** @returns undefined where there is no pack that can be used */
function openModules() {
  if (isInSandbox()) return undefined;
  try {
    const file = openSync(PACK, "r");
    const length = Number(read(file, 0, HEAD_BYTES));
    const index = JSON.parse(read(file, HEAD_BYTES, length));
    return index.build === currentBuild() ? new PackedModules(index, file, HEAD_BYTES + length) : undefined;
  } catch {
    return undefined;
  }
}

function read(file, at, length) {
  const bytes = Buffer.allocUnsafeSlow(length);
  if (readSync(file, bytes, 0, length, at) !== length) throw new Error(`${PACK} is cut short`);
  return bytes;
}

/** What there is to load, and who loads it, in short: the compiler and npm each keep a record of what they have put into place. */
function currentBuild() {
  const hash = createHash("sha1").update(`${process.version} ${process.arch}`);
  hash.update(readFileSync(join(ROOT, "node_modules/.package-lock.json")));
  for (const name of readdirSync(PACKAGES)) hash.update(readFileSync(join(PACKAGES, name, "tsconfig.tsbuildinfo")));
  return hash.digest("hex");
}

let opened;
function modules() {
  opened ??= { modules: openModules() };
  return opened.modules;
}

/** Runs the module of a file, out of the pack where there is one. @returns what it exports */
module.exports = (path) => (modules() ? modules().load(path) : require(path));
Object.assign(module.exports, { HEAD_BYTES, PACK, ROOT, currentBuild, modules });
