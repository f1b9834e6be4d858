// Selects the modules of the pack and writes the pack file, which packages/platform/bin/packed.js reads.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import Module, { createRequire, isBuiltin } from "node:module";
import { dirname, join, relative } from "node:path";
import { transformSync } from "esbuild";
import { Imports, LATER, LATER_DECLARED } from "./imports.mjs";
import { packed } from "./loader.mjs";

const { HEAD_BYTES, MARK, PACK, PACKAGES, RELEASE, ROOT, RUN_TIME, buildStamp, currentBuild } = packed;

/** Longer modules are not packed: they hold the descriptions of all fields, which most programs never load. */
const LARGEST_BYTES = 450 * 1024;
/** Matches a dynamic import, which fails in cached code. Modules of this repository use `require` instead. */
const IMPORTED = /(?<![.\w])import\(/;
const REQUIRED = /\brequire\(\s*["']([^"'\n]+)["']\s*\)/g;
const IN_ONE_BYTE = /^[\0-\xff]*$/;
/** Matches text whose characters cannot be replaced by escape sequences: after a backslash, or with String.raw. */
const MEANT_AS_IT_IS = /\\[^\0-\xff]|String\.raw/;
const IN_TWO_BYTES = /[^\0-\xff]/g;
const PASSED_ON =
  /^Object\.defineProperty\(exports, "(\w+)", \{ enumerable: true, get: function \(\) \{ return ([\w.]+); \} \}\);/gm;
const LATE_MODULE = /^(?:const|var) (\w+) = require\.late\(\d+\);$/gm;
const BY_PLACE = new RegExp(`\\b(require(\\.late)?|${LATER})\\(\\d+\\)`, "g");
const NUMBERED = new RegExp(`\\b(require|${LATER})\\(\\s*["']([^"'\\n]+)["']\\s*\\)`, "g");
const ABOUT_ITSELF = /\b(module|__filename|__dirname)\b/;
/**
 * Modules that are loaded on first use. No start needs them, and most servers never do: they send files, parse forms,
 * color texts, handle WebSockets, close logs. Modules that require them only call them or read their members later.
 */
const LATE = new Set([
  ...["@so-ric/colorspace", "accepts", "async/forEach", "body-parser", "finalhandler", "http-errors", "mime-types"],
  ...["qs", "re2js", "send", "serve-static", "stack-trace", "ws"],
]);
/**
 * Folders of this repository whose modules are loaded on first use, when a module outside of the folder requires them.
 * They take backups and serve custom resources, policies, YAML bodies and published documents. No start needs them,
 * except with stored objects of those kinds. Loading them takes 12 ms of a start.
 */
const LATE_FOLDERS = [
  ...["backup/dist/", "expressions/dist/", "extensions/dist/structural/", "openapi/dist/operations/"],
  ...["schema/dist/yaml/", "store/dist/lmdb-migration/"],
].map((folder) => join(PACKAGES, folder));
/**
 * Main module of Express. It re-exports members of other modules, which would be loaded together with Express: 2 ms of
 * processor time and 3 MiB of memory per start.
 */
const FACE = join(ROOT, "node_modules/express/lib/express.js");
/** Packages that Node.js itself loads, with tracing or backups to a bucket only. They import modules while they run. */
const UNPACKED = /^@(opentelemetry|aws-sdk)\//;
const FACE_MEMBER = /^exports\.(\w+) = (bodyParser\.\w+|require\('serve-static'\));?$/gm;
const OF_OTHERS = /.*\/node_modules\/(@[^/]+\/)?[^/]+/;
const OURS = join(PACKAGES, "/");
/** Reports whether a module belongs to this repository, and not to a package that one of its packages has for itself. */
const isOurs = (path) => path.startsWith(OURS) && !path.slice(OURS.length).includes("/node_modules/");
const packages = new Map();
/**
 * `release` makes the modules small that a start reads, and keeps their original positions for stack traces: a server is
 * ready 4 % earlier. `image` makes all modules small, keeps no positions, and leaves modules that no start runs to their
 * files. Otherwise modules stay as they are.
 */
const FORM = process.env.PACK_FORM;

/** Entry modules of programs, of their threads, and of servers embedded in other processes. */
const ENTRIES = [
  "apiserver-program/dist/program/main.js",
  "controllers/dist/program/main.js",
  "standalone/dist/program/main.js",
  "apiserver/dist/index.js",
  "apiserver/dist/server/large-objects/large-object-thread.js",
  "audit/dist/thread/audit-thread-main.js",
];

/** Returns the folder of a module that is loaded on first use; undefined for a module that is loaded with the program. */
export const lateFolder = (path) => LATE_FOLDERS.find((folder) => path.startsWith(folder));

export const programModules = () => modulesFrom(ENTRIES.map((entry) => join(PACKAGES, entry)));

/** Returns the modules that the entries require, directly or indirectly, by path. */
function modulesFrom(entries) {
  const found = new Map();
  const waiting = [...entries];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    const text = readFileSync(path, "utf8");
    if (text.length > LARGEST_BYTES) continue;
    if (IMPORTED.test(withoutComments(text)))
      throw new Error(`${path} imports while it runs: that fails in a pack; require instead`);
    const requires = path.endsWith(".js") || path.endsWith(".cjs") ? requiredBy(path, text) : {};
    found.set(path, { text: asPacked(path, text), requires });
    waiting.push(...Object.values(requires));
  }
  return found;
}

function asPacked(path, text) {
  if (path === FACE)
    return text.replace(FACE_MEMBER, "Object.defineProperty(exports, '$1', { enumerable: true, get: () => $2 })");
  return isOurs(path) ? inOneByte(text) : text;
}

/** Escapes characters outside Latin-1. V8 stores a text with any such character in two bytes per character. */
const inOneByte = (text) =>
  MEANT_AS_IT_IS.test(text)
    ? text
    : text.replace(IN_TWO_BYTES, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

const withoutComments = (text) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");

/** Returns module paths by specifier. Omits modules that cannot be resolved: optional dependencies, not installed. */
function requiredBy(path, text) {
  const { resolve } = createRequire(path);
  const requires = {};
  for (const [, wanted] of text.matchAll(REQUIRED)) {
    if (isBuiltin(wanted) || UNPACKED.test(wanted)) continue;
    try {
      const found = commonFor(resolve(wanted));
      if (isCommon(found)) requires[wanted] = found;
    } catch {}
  }
  return requires;
}

/** Returns the CommonJS file of a package whose `module-sync` entry is an ECMAScript module. */
function commonFor(path) {
  const folder = dirname(path);
  const [main] = [packageOf(folder).exports?.["."]].flat();
  return main?.["module-sync"] !== undefined && path === join(folder, main["module-sync"])
    ? join(folder, main.default)
    : path;
}

/** Reports whether a file is CommonJS or JSON. Node.js itself loads ECMAScript modules and native add-ons. */
function isCommon(path) {
  return /\.(cjs|json)$/.test(path) || (path.endsWith(".js") && packageOf(dirname(path)).type !== "module");
}

function packageOf(folder) {
  let found = packages.get(folder);
  if (found === undefined) {
    const file = join(folder, "package.json");
    found = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : packageOf(dirname(folder));
    packages.set(folder, found);
  }
  return found;
}

/**
 * @param found modules by path
 * @param ran modules to join into scripts, by path: those that a start runs, and those that run later, while serving. The
 * first contain the names of built-in modules, too
 * @param made further texts of the pack, as writeScripts takes them
 */
export function writePack(found, ran, made = {}) {
  const scripts = scriptsOf(found, ran);
  const imports = new Imports(found, isOurs);
  const paths = scripts.flat();
  const places = new Map(paths.map((path, place) => [path, place]));
  const mappings = {};
  const sources = scripts.map((script) => {
    const text = scriptText(script, { found, places, mappings, imports, ran });
    const encoding = IN_ONE_BYTE.test(text) ? "latin1" : "utf8";
    return { first: places.get(script[0]), encoding, source: Buffer.from(text, encoding) };
  });
  writeScripts(
    paths.map((path) => relative(ROOT, path)),
    sources,
    FORM === "release" ? { ...made, mappings: JSON.stringify(mappings) } : made,
  );
}

/**
 * Writes the pack.
 * @param scripts sources, with the code that V8 has compiled when there is any
 * @param made further texts of the pack, by the names that programs use to read them
 */
function writeScripts(paths, scripts, made = {}) {
  const parts = [];
  let length = 0;
  const add = (bytes) => {
    const at = length;
    parts.push(bytes, Buffer.alloc(-bytes.length & 7));
    length += bytes.length + parts.at(-1).length;
    return at;
  };
  const index = scripts.map(({ first, encoding, source, code = Buffer.alloc(0) }) => {
    const at = add(source);
    add(code);
    return { first, encoding, at, textLength: source.length, codeLength: code.length };
  });
  const texts = Object.fromEntries(
    Object.entries(made).map(([name, text]) => {
      const bytes = Buffer.from(text);
      return [name, { at: add(bytes), length: bytes.length }];
    }),
  );
  const compiled = scripts.some(({ code }) => code !== undefined);
  mkdirSync(dirname(PACK), { recursive: true });
  // The pack of a release is found by the release file alone: the times of files differ between builds.
  const stamp = existsSync(RELEASE) ? "" : buildStamp();
  replacePack({ build: currentBuild(), stamp, runTime: RUN_TIME, compiled, scripts: index, paths, texts }, parts);
}

/** Writes a pack anew with the code that V8 has compiled. @param codeOf returns the code of a script by its number */
export function writeCode(pack, codeOf) {
  const scripts = pack.scripts.map((script, number) => ({
    ...script,
    source: pack.source(number),
    code: codeOf(number),
  }));
  const texts = Object.fromEntries(Object.keys(pack.texts).map((name) => [name, pack.text(name)]));
  writeScripts(pack.paths, scripts, texts);
}

/**
 * Records the times of the build's files in a current pack. A build that wrote equal files changes their times; without
 * the new ones, each start would read and hash the files, which takes 8 ms.
 */
export function refreshStamp() {
  const pack = readFileSync(PACK);
  const end = HEAD_BYTES + Number(pack.toString("latin1", 0, HEAD_BYTES));
  const index = JSON.parse(pack.toString("utf8", HEAD_BYTES, end));
  if (index.stamp !== buildStamp()) replacePack({ ...index, stamp: buildStamp() }, [pack.subarray(end)]);
}

/** Replaces the pack atomically: a program may be starting. */
function replacePack(index, parts) {
  const head = Buffer.from(JSON.stringify(index));
  writeFileSync(`${PACK}.new`, Buffer.concat([Buffer.from(String(head.length).padEnd(HEAD_BYTES)), head, ...parts]));
  renameSync(`${PACK}.new`, PACK);
}

/**
 * Groups modules into scripts by the entries that need them: a thread and its program, or the API server and the
 * controller manager, need different modules. Modules that are loaded on first use have scripts per folder. Each
 * third-party package has scripts of its own: some packages read the line number of their caller, and V8 counts the
 * lines of the whole script for it.
 * @returns module paths of each script
 */
function scriptsOf(found, ran) {
  const together = new Map();
  const alone = [];
  const closures = ENTRIES.map((entry) => modulesFrom([join(PACKAGES, entry)]));
  for (const [path, { text }] of found) {
    const tier = ran.start.has(path) ? "start" : "later";
    const runs = ran[tier].has(path);
    if (FORM === "image" && ran.start.size > 0 && !runs && !isOurs(path)) continue;
    if (!runs || path.endsWith(".json") || !IN_ONE_BYTE.test(text)) {
      alone.push([path]);
      continue;
    }
    const entries = closures.map((closure) => Number(closure.has(path))).join("");
    const script = `${tier} ${entries} ${isOurs(path) ? lateFolder(path) : path.match(OF_OTHERS)?.[0]}`;
    together.set(script, [...(together.get(script) ?? []), path]);
  }
  return [...together.values(), ...alone];
}

/** Returns the source of a script: an array with one function per module, or the text of a JSON module. */
function scriptText(script, { found, places, mappings, imports, ran }) {
  if (script[0].endsWith(".json")) return found.get(script[0]).text;
  const isSmall = FORM === "image" || (FORM === "release" && script.length > 1);
  const functions = script.map((path) => {
    const text = placed(path, found.get(path), { places, imports, ran });
    const small = isSmall ? compacted(text) : undefined;
    if (small !== undefined) mappings[relative(ROOT, path)] = small.mappings;
    const body = small?.code ?? text;
    const run = isPlain(path, text)
      ? `(function (exports, require) { ${body}\n})`
      : Module.wrap(body).replace(/;$/, "");
    return script.length === 1 ? run : `\n${MARK}${relative(ROOT, path)}\n${run}`;
  });
  return `[${functions.join(",")}]`;
}

/**
 * Returns a module without comments, blanks and the names of local variables, and its positions in the original. Names at
 * its top level stay.
 */
function compacted(text) {
  const how = { minify: true, loader: "js", target: "node20", legalComments: "none" };
  const { code, map } = transformSync(text, { ...how, sourcemap: "external", sourcesContent: false });
  return { code, mappings: JSON.parse(map).mappings };
}

/** Reports whether a module requires only packed and built-in modules, and does not use `module` or its own path. */
const isPlain = (path, text) =>
  isOurs(path) &&
  !ABOUT_ITSELF.test(text) &&
  !/\brequire\b/.test(
    text
      .replace(LATER_DECLARED, "")
      .replace(BY_PLACE, "")
      .replace(NUMBERED, (_all, _name, wanted) => (isBuiltin(wanted) ? "" : "require")),
  );

/** Returns the text of a module, with places instead of the specifiers of packed modules. */
function placed(path, { text, requires }, { places, imports, ran }) {
  if (!isOurs(path) || !path.endsWith(".js")) return numbered(text, (wanted) => places.get(requires[wanted]));
  const rewritten = imports.rewritten(path, (wanted) => isEager(path, wanted, ran));
  return withValues(numbered(rewritten, (wanted) => places.get(wanted) ?? places.get(requires[wanted])));
}

const numbered = (text, placeOf) =>
  text.replace(NUMBERED, (all, name, wanted) => {
    const place = placeOf(wanted);
    if (place === undefined) return all;
    return `${name}${name !== LATER && LATE.has(wanted) ? ".late" : ""}(${place})`;
  });

/** Reports whether a module is loaded together with a module that requires it. */
function isEager(path, wanted, { start, later }) {
  if (start.has(wanted)) return true;
  return later.has(wanted) && !start.has(path) && lateFolder(wanted) === lateFolder(path);
}

/**
 * Replaces the getters that the TypeScript compiler writes for re-exports by values, except those of modules that are
 * loaded on first use. Reading such a getter takes a dictionary lookup and a call, in total a thirtieth of the cost of
 * a request. `Object.create(exports)` makes the object a prototype, whose members V8 stores for fast reading, whatever
 * their number.
 */
function withValues(text) {
  const late = new Set(Array.from(text.matchAll(LATE_MODULE), ([, name]) => name));
  const plain = text.replace(PASSED_ON, (getter, name, value) =>
    late.has(value.split(".")[0]) ? getter : `exports.${name} = ${value};`,
  );
  return plain === text ? text : `${plain}\nObject.create(exports);`;
}
