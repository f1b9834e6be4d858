// The pack's file: which modules are in it, and how it is written. packages/platform/bin/packed.js reads it.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import Module, { createRequire, isBuiltin } from "node:module";
import { dirname, join, relative } from "node:path";

const { HEAD_BYTES, MARK, PACK, ROOT, buildStamp, currentBuild } = createRequire(import.meta.url)(
  "../../packages/platform/bin/packed.js",
);

/** Texts of all fields and messages, for those who ask for them. */
const LARGEST_BYTES = 512 * 1024;
/** What is compiled already has no way to import: our own modules require where they would. */
const IMPORTED = /(?<![.\w])import\(/;
const REQUIRED = /\brequire\(\s*["']([^"'\n]+)["']\s*\)/g;
const IN_ONE_BYTE = /^[\0-\xff]*$/;
/** One that follows a backslash is meant as itself. */
const MEANT_AS_IT_IS = /\\[^\0-\xff]|String\.raw/;
const IN_TWO_BYTES = /[^\0-\xff]/g;
const PASSED_ON =
  /^Object\.defineProperty\(exports, "(\w+)", \{ enumerable: true, get: function \(\) \{ return ([\w.]+); \} \}\);/gm;
const BY_PLACE = /\brequire(\.late)?\(\d+\)/g;
const ABOUT_ITSELF = /\b(module|__filename|__dirname)\b/;
/**
 * No start needs them, and most servers never do: they send files, read forms, color texts, speak WebSockets, close logs. Those who require
 * them only call them or read their members, and that later on.
 */
const LATE = new Set([
  ...["@so-ric/colorspace", "accepts", "async/forEach", "body-parser", "finalhandler", "http-errors", "mime-types"],
  ...["qs", "re2js", "send", "serve-static", "stack-trace", "ws"],
]);
/** What Express passes on of others: it would be read, and so loaded, with Express itself. */
const FACE = join(ROOT, "node_modules/express/lib/express.js");
const FACE_MEMBER = /^exports\.(\w+) = (bodyParser\.\w+|require\('serve-static'\));?$/gm;
const OF_OTHERS = /.*\/node_modules\/(@[^/]+\/)?[^/]+/;
const OURS = join(ROOT, "packages/");
const packages = new Map();

/** What programs, threads of programs and servers inside other processes begin with. */
const ENTRIES = [
  "packages/apiserver/dist/program/main.js",
  "packages/controllers/dist/program/main.js",
  "packages/standalone/dist/program/main.js",
  "packages/apiserver/dist/index.js",
  "packages/apiserver/dist/lane/lane-thread.js",
  "packages/apiserver/dist/audit/thread/audit-thread-main.js",
];

export const programModules = () => modulesFrom(ENTRIES.map((entry) => join(ROOT, entry)));

/** By path: those that the entries require, and what those require, and so on. */
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
  return path.startsWith(OURS) ? inOneByte(text) : text;
}

/** The same program. V8 takes two bytes for each character of a text that has one which needs them. */
const inOneByte = (text) =>
  MEANT_AS_IT_IS.test(text)
    ? text
    : text.replace(IN_TWO_BYTES, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

const withoutComments = (text) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");

/** Paths by the words that lead to them. What cannot be found is an option of a package's that is not installed. */
function requiredBy(path, text) {
  const { resolve } = createRequire(path);
  const requires = {};
  for (const [, wanted] of text.matchAll(REQUIRED)) {
    if (isBuiltin(wanted)) continue;
    try {
      const found = commonFor(resolve(wanted));
      if (isCommon(found)) requires[wanted] = found;
    } catch {}
  }
  return requires;
}

/** Some packages have an ECMAScript module for run times that can require one, and the same for all others. */
function commonFor(path) {
  const folder = dirname(path);
  const [main] = [packageOf(folder).exports?.["."]].flat();
  return main?.["module-sync"] !== undefined && path === join(folder, main["module-sync"])
    ? join(folder, main.default)
    : path;
}

/** ECMAScript modules and compiled add-ons are left to the run time. */
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

/** @param found modules by path @param ran those that a start and serving need: they stand in scripts together */
export function writePack(found, ran) {
  const scripts = scriptsOf(found, ran);
  const paths = scripts.flat();
  const places = new Map(paths.map((path, place) => [path, place]));
  const sources = scripts.map((script) => {
    const text = scriptText(script, found, places);
    const encoding = IN_ONE_BYTE.test(text) ? "latin1" : "utf8";
    return { first: places.get(script[0]), encoding, source: Buffer.from(text, encoding) };
  });
  writeScripts(
    paths.map((path) => relative(ROOT, path)),
    sources,
  );
}

/**
 * The pack whole at any moment: a program may be starting.
 * @param scripts with bytes of what V8 has compiled of them, where it has @param made texts by the names that programs ask for them by
 */
export function writeScripts(paths, scripts, made = {}) {
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
  const head = Buffer.from(
    JSON.stringify({ build: currentBuild(), stamp: buildStamp(), compiled, scripts: index, paths, texts }),
  );
  mkdirSync(dirname(PACK), { recursive: true });
  writeFileSync(`${PACK}.new`, Buffer.concat([Buffer.from(String(head.length).padEnd(HEAD_BYTES)), head, ...parts]));
  renameSync(`${PACK}.new`, PACK);
}

/**
 * @returns paths of the modules of each: a thread needs other ones than the program, and the API server others than what runs the duties.
 * Packages of others stand apart: some ask in which line they are called, for which V8 counts the lines of all the script.
 */
function scriptsOf(found, ran) {
  const together = new Map();
  const alone = [];
  const closures = ENTRIES.map((entry) => modulesFrom([join(ROOT, entry)]));
  for (const [path, { text }] of found) {
    if (!ran.has(path) || path.endsWith(".json") || !IN_ONE_BYTE.test(text)) {
      alone.push([path]);
      continue;
    }
    const entries = closures.map((closure) => Number(closure.has(path))).join("");
    const script = `${entries} ${path.match(OF_OTHERS)?.[0]}`;
    together.set(script, [...(together.get(script) ?? []), path]);
  }
  return [...together.values(), ...alone];
}

/** An array of functions, one a module; of JSON its own text. */
function scriptText(script, found, places) {
  if (script[0].endsWith(".json")) return found.get(script[0]).text;
  const functions = script.map((path) => {
    const text = placed(path, found.get(path), places);
    const run = isPlain(path, text)
      ? `(function (exports, require) { ${text}\n})`
      : Module.wrap(text).replace(/;$/, "");
    return script.length === 1 ? run : `\n${MARK}${relative(ROOT, path)}\n${run}`;
  });
  return `[${functions.join(",")}]`;
}

/** Whether a module asks only for what has a place and for the run time's modules, and neither for itself nor for where it lies. */
const isPlain = (path, text) =>
  path.startsWith(OURS) &&
  !ABOUT_ITSELF.test(text) &&
  !/\brequire\b/.test(text.replace(BY_PLACE, "").replace(REQUIRED, (all, wanted) => (isBuiltin(wanted) ? "" : all)));

/** A module's text, with places for what leads to packed modules. */
function placed(path, { text, requires }, places) {
  const numbered = text.replace(REQUIRED, (all, wanted) =>
    places.has(requires[wanted]) ? `require${LATE.has(wanted) ? ".late" : ""}(${places.get(requires[wanted])})` : all,
  );
  return path.startsWith(OURS) ? withValues(numbered) : numbered;
}

/**
 * What the compiler has a module pass on from another file is found in a dictionary and read by a function each time, which is a thirtieth
 * of all that a request costs: here it is a value. V8 lays the members of what is a prototype out for reading, however many they are.
 */
function withValues(text) {
  const plain = text.replace(PASSED_ON, "exports.$1 = $2;");
  return plain === text ? text : `${plain}\nObject.create(exports);`;
}
