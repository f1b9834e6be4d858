// Loads a program's modules out of one file that the build has made of all of them: those that a start needs stand together in a few
// scripts, with what V8 has compiled of them, so that a start reads a few pieces of one file where it would look for, read and compile
// 1,500. The pack stands for one build and the packages installed then: where something else is built or installed meanwhile, and where
// there is no pack, modules are loaded as ever. See scripts/pack-programs.mjs.
const { createHash } = require("node:crypto");
const { openSync, readFileSync, readSync, readdirSync, statSync } = require("node:fs");
const { createRequire } = require("node:module");
const { join, sep } = require("node:path");
const { Script, constants, runInThisContext } = require("node:vm");

const ROOT = join(__dirname, "../../..");
const PACK = join(ROOT, "packages/platform/dist/programs.pack");
const PACKAGES = join(ROOT, "packages");
/** How long the index is stands before it, in decimal digits. */
const HEAD_BYTES = 16;
/** A module that asks only for modules with a place, and for the run time's: it has the first two parameters of a module. */
const PLAIN_PARAMETERS = 2;
/** Before the lines of each module, where several stand in one script. */
const MARK = "//# from ";
/** Where a stack says that it was, in a script of several modules. */
const PLACE_IN_PACK = new RegExp(`${PACK.replace(/[^\w/]/g, "\\$&")}/(\\d+):(\\d+)`, "g");

class PackedModules {
  /** V8's, by their numbers: those that are open. */
  opened = new Map();
  /** What runs a module, by its place. */
  functions;
  /** Those that were loaded, by their places. */
  loaded;
  /** Made when they are asked for. */
  places;
  marks = new Map();

  /** @param paths of all modules, in the order of the scripts that they are in @param file descriptor @param start where in it the index ends */
  constructor({ scripts, paths, compiled, texts }, file, start) {
    this.scripts = scripts;
    this.paths = paths;
    // V8 reads an array of a known length faster than one that is filled from its end.
    this.functions = new Array(paths.length);
    this.loaded = new Array(paths.length);
    /** By name, where what the build has made beside the modules lies. */
    this.texts = texts;
    /** Whether V8's compiled code is there too. */
    this.compiled = compiled;
    this.file = file;
    this.start = start;
    this.requirePlaced = (wanted) => (typeof wanted === "number" ? this.loadPlace(wanted) : require(wanted));
    this.requirePlaced.late = (place) => this.loadLate(place);
  }

  /** @returns what the file exports */
  load(path) {
    const place = this.placeOf(path);
    return place === undefined ? require(path) : this.loadPlace(place);
  }

  /** Of one file there is one module, whoever loads it: the run time's are found here, and it finds these. */
  loadPlace(place) {
    const loaded = this.loaded[place];
    if (loaded !== undefined) return loaded.exports;
    const path = ROOT + sep + this.paths[place];
    const known = require.cache[path];
    if (known !== undefined) return known.exports;
    const folder = path.slice(0, path.lastIndexOf(sep));
    const module = { id: path, path: folder, filename: path, exports: {}, loaded: false, children: [], paths: [] };
    require.cache[path] = module;
    this.loaded[place] = module;
    try {
      this.run(module, place);
    } catch (error) {
      delete require.cache[path];
      this.loaded[place] = undefined;
      throw error;
    }
    module.loaded = true;
    return module.exports;
  }

  run(module, place) {
    const { exports, filename, path } = module;
    if (filename.endsWith(".json")) {
      module.exports = JSON.parse(this.source(this.scriptOf(place)));
      return;
    }
    const run = this.functionOf(place);
    // Most need no more of what a module may know: one `require` serves them all.
    if (run.length <= PLAIN_PARAMETERS) run.call(exports, exports, this.requirePlaced);
    else run.call(exports, exports, this.requireOf(filename), module, filename, path);
  }

  functionOf(place) {
    if (this.functions[place] === undefined) {
      const number = this.scriptOf(place);
      const { first } = this.scripts[number];
      this.open(number).forEach((run, index) => {
        this.functions[first + index] = run;
      });
    }
    return this.functions[place];
  }

  scriptOf(place) {
    return this.scripts.findLastIndex(({ first }) => first <= place);
  }

  open(number) {
    const { first, at, textLength, codeLength, encoding } = this.scripts[number];
    // Compiled code is read where it lies when it begins at a multiple of 8.
    const codeAt = textLength + (-textLength & 7);
    const bytes = read(this.file, this.start + at, codeAt + codeLength);
    const isAlone = (this.scripts[number + 1]?.first ?? this.paths.length) === first + 1;
    const script = new Script(bytes.toString(encoding, 0, textLength), {
      filename: isAlone ? ROOT + sep + this.paths[first] : `${PACK}/${number}`,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      ...(codeLength > 0 && { cachedData: bytes.subarray(codeAt) }),
    });
    this.opened.set(number, script);
    return script.runInThisContext();
  }

  source(number) {
    const { at, textLength } = this.scripts[number];
    return read(this.file, this.start + at, textLength);
  }

  text(name) {
    const place = this.texts?.[name];
    return place && read(this.file, this.start + place.at, place.length).toString();
  }

  requireOf(filename) {
    let made;
    const own = () => {
      made ??= createRequire(filename);
      return made;
    };
    // What its words lead to is known of most: the pack has a place there instead.
    const require = (wanted) => (typeof wanted === "number" ? this.loadPlace(wanted) : this.loadNamed(own(), wanted));
    require.late = (place) => this.loadLate(place);
    require.resolve = (wanted) => own().resolve(wanted);
    return require;
  }

  /** What is loaded when a member of it is read, or when it is called. */
  loadLate(place) {
    return new Proxy(() => {}, {
      get: (_none, name) => this.loadPlace(place)[name],
      apply: (_none, self, words) => Reflect.apply(this.loadPlace(place), self, words),
    });
  }

  loadNamed(own, wanted) {
    const place = this.placeOf(own.resolve(wanted));
    return place === undefined ? own(wanted) : this.loadPlace(place);
  }

  placeOf(path) {
    this.places ??= new Map(this.paths.map((packed, place) => [ROOT + sep + packed, place]));
    return this.places.get(path);
  }

  /** A stack with the modules' own files and lines in it. */
  inFiles(stack) {
    return stack.replace(PLACE_IN_PACK, (place, number, text) => {
      const line = Number(text);
      const mark = this.marksOf(number).findLast((one) => one.line < line);
      return mark === undefined ? place : `${ROOT}${sep}${mark.path}:${line - mark.line}`;
    });
  }

  /** After which line each module of a script begins. */
  marksOf(number) {
    let marks = this.marks.get(number);
    if (marks === undefined) {
      const lines = this.source(number).toString(this.scripts[number].encoding).split("\n");
      marks = lines.flatMap((text, index) =>
        text.startsWith(MARK) ? [{ line: index + 1, path: text.slice(MARK.length) }] : [],
      );
      this.marks.set(number, marks);
    }
    return marks;
  }
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
    const isCurrent = index.stamp === buildStamp() || index.build === currentBuild();
    return isCurrent ? new PackedModules(index, file, HEAD_BYTES + length) : undefined;
  } catch {
    return undefined;
  }
}

function read(file, at, length) {
  const bytes = Buffer.allocUnsafeSlow(length);
  if (readSync(file, bytes, 0, length, at) !== length) throw new Error(`${PACK} is cut short`);
  return bytes;
}

/** The compiler and npm each keep a record of what they have put into place. */
const buildFiles = () => [
  __filename,
  join(ROOT, "node_modules/.package-lock.json"),
  ...readdirSync(PACKAGES).map((name) => join(PACKAGES, name, "tsconfig.tsbuildinfo")),
];
const RUN_TIME = `${process.version} ${process.arch}`;

/** What there is to load, and who loads it, in short. */
function currentBuild() {
  const hash = createHash("sha1").update(RUN_TIME);
  for (const file of buildFiles()) hash.update(readFileSync(file));
  return hash.digest("hex");
}

/** Tells that nothing has been written since, without reading what there is. */
function buildStamp() {
  const stamps = buildFiles().map((file) => {
    const { size, mtimeMs } = statSync(file);
    return `${size} ${mtimeMs}`;
  });
  return [RUN_TIME, ...stamps].join();
}

let opened;
function modules() {
  opened ??= { modules: openModules() };
  return opened.modules;
}

/** Runs the module of a file, out of the pack where there is one. @returns what it exports */
module.exports = (path) => (modules() ? modules().load(path) : require(path));
/** A stack of errors, with files and lines as they are outside the pack. */
const inFiles = (stack) => opened?.modules?.inFiles(stack) ?? stack;
const madeByBuild = (name) => modules()?.text(name);
Object.assign(module.exports, {
  HEAD_BYTES,
  MARK,
  PACK,
  ROOT,
  buildStamp,
  currentBuild,
  inFiles,
  madeByBuild,
  modules,
});
