// The pack's file: which modules are in it, and how it is written. packages/platform/bin/packed.js reads it.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import Module, { createRequire, isBuiltin } from "node:module";
import { dirname, join, relative } from "node:path";

const { HEAD_BYTES, PACK, ROOT, currentBuild } = createRequire(import.meta.url)(
  "../../packages/platform/bin/packed.js",
);

/** Texts of all fields and messages, for those who ask for them. */
const LARGEST_BYTES = 512 * 1024;
/** What is compiled already has no way to import: our own modules require where they would. */
const IMPORTED = /(?<![.\w])import\(/;
const REQUIRED = /\brequire\(\s*["']([^"'\n]+)["']\s*\)/g;
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
    found.set(path, { text, requires });
    waiting.push(...Object.values(requires));
  }
  return found;
}

const withoutComments = (text) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");

/** Paths by the words that lead to them. What cannot be found is an option of a package's that is not installed. */
function requiredBy(path, text) {
  const { resolve } = createRequire(path);
  const requires = {};
  for (const [, wanted] of text.matchAll(REQUIRED)) {
    if (isBuiltin(wanted)) continue;
    try {
      const found = resolve(wanted);
      if (isCommon(found)) requires[wanted] = found;
    } catch {}
  }
  return requires;
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

/** Whole at any moment: a program may be starting. @param codes what V8 has compiled of the modules that a start needs, by path */
export function writePack(found, codes) {
  const modules = new Map([...found].sort(([one], [other]) => Number(codes.has(other)) - Number(codes.has(one))));
  const places = new Map([...modules.keys()].map((path, place) => [path, place]));
  const parts = [];
  let at = 0;
  let startBytes = 0;
  // Compiled code is read where it lies when it begins at a multiple of 8.
  const add = (bytes) => {
    const gap = Buffer.alloc(-bytes.length & 7);
    parts.push(bytes, gap);
    at += bytes.length + gap.length;
  };
  const index = [...modules].map(([path, { text, requires }]) => {
    const encoding = /[^\0-\x7f]/.test(text) ? "utf8" : "latin1";
    const source = Buffer.from(path.endsWith(".json") ? text : Module.wrap(text), encoding);
    const code = codes.get(path) ?? Buffer.alloc(0);
    const entry = {
      ...{ path: relative(ROOT, path), encoding },
      ...{ at, textLength: source.length, codeLength: code.length },
      requires: Object.fromEntries(
        Object.entries(requires).flatMap(([wanted, to]) => (places.has(to) ? [[wanted, places.get(to)]] : [])),
      ),
    };
    add(source);
    add(code);
    if (codes.has(path)) startBytes = at;
    return entry;
  });
  const head = Buffer.from(JSON.stringify({ build: currentBuild(), modules: index, startBytes }));
  mkdirSync(dirname(PACK), { recursive: true });
  writeFileSync(`${PACK}.new`, Buffer.concat([Buffer.from(String(head.length).padEnd(HEAD_BYTES)), head, ...parts]));
  renameSync(`${PACK}.new`, PACK);
}
