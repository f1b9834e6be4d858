import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { repository } from "./harness/processes";

const LOADER = "packages/platform/bin/packed.js";
const PROGRAM = "packages/one/dist/program.js";
const HEAD_BYTES = 16;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "packed-"));
  put(PROGRAM, 'console.log("from its file");');
  put("node_modules/.package-lock.json", "{}");
  put("packages/console/package.json", "{}");
  for (const name of ["one", "platform"]) put(`packages/${name}/tsconfig.tsbuildinfo`, "as it was built");
  cpSync(join(repository, LOADER), join(root, LOADER), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

const printed = (script: string) => spawnSync(process.execPath, ["-e", script], { encoding: "utf8", cwd: root });
const outcome = () => printed(`require("./${LOADER}")(require("node:path").resolve("${PROGRAM}"))`);
const told = (what: string) => printed(`console.log(require("./${LOADER}").${what}())`).stdout.trim();
const currentBuild = () => told("currentBuild");

/** A pack with one program, whose output differs from that of its file. */
const packOf = (build: string, stamp?: string) =>
  packWith({ build, stamp }, [PROGRAM], '[(function () { console.log("out of the pack"); })]');

function packWith(
  of: { build: string; stamp?: string | undefined; texts?: Record<string, { at: number; length: number }> },
  paths: readonly string[],
  unpadded: string,
): Buffer {
  const text = unpadded.padEnd(Math.ceil(unpadded.length / 8) * 8);
  const script = { first: 0, at: 0, textLength: text.length, codeLength: 0, encoding: "latin1" };
  const index = JSON.stringify({ ...of, compiled: false, scripts: [script], paths });
  return Buffer.from(`${String(index.length).padEnd(HEAD_BYTES)}${index}${text}`);
}

test.each<[string, () => Buffer | undefined, string]>([
  ["without a pack a program starts from its files", () => undefined, "from its file"],
  ["with one it starts from that", () => packOf(currentBuild()), "out of the pack"],
  [
    "with one since which nothing was written it starts from that",
    () => packOf("", told("buildStamp")),
    "out of the pack",
  ],
  ["with one of another build it does not", () => packOf("another"), "from its file"],
  ["with one whose index is cut short it does not", () => packOf(currentBuild()).subarray(0, 50), "from its file"],
])("%s", (_behaviour, pack, expected) => {
  const bytes = pack();
  if (bytes !== undefined) put("packages/platform/dist/programs.pack", bytes);
  expect(outcome()).toMatchObject({ stdout: `${expected}\n`, stderr: "", status: 0 });
});

test("newly compiled files replace the pack", () => {
  put("packages/platform/dist/programs.pack", packOf(currentBuild(), told("buildStamp")));
  put("packages/one/tsconfig.tsbuildinfo", "as it was built then");
  expect(outcome().stdout).toBe("from its file\n");
});

test("the pack of a release is found by the file that identifies the release", () => {
  const loader = "node_modules/@orch/platform/bin/packed.js";
  const program = "node_modules/@orch/one/dist/program.js";
  cpSync(join(repository, LOADER), join(root, loader));
  put(program, 'console.log("from its file");');
  put("release.json", '{"version":"1.0.0"}');
  const inRelease = (script: string) => printed(`const packed = require("./${loader}"); ${script}`).stdout.trim();
  const run = () => inRelease(`packed(require("node:path").resolve("${program}"))`);
  const build = inRelease("console.log(packed.currentBuild())");
  const pack = packWith({ build }, [program], '[(function () { console.log("out of the pack"); })]');
  put("node_modules/@orch/platform/dist/programs.pack", pack);
  expect(run()).toBe("out of the pack");
  put("release.json", '{"version":"1.0.1"}');
  expect(run()).toBe("from its file");
});

test("texts that the build has made are read out of the pack, and out of no other build's", () => {
  const text = "prepared: \u00fc";
  const length = Buffer.byteLength(text);
  const write = (build: string) =>
    put(
      "packages/platform/dist/programs.pack",
      packWith({ build, texts: { one: { at: 0, length } } }, [PROGRAM], text),
    );
  const asked = (name: string) => printed(`console.log(require("./${LOADER}").generatedByBuild("${name}"))`).stdout;
  expect(asked("one")).toBe("undefined\n");
  write(currentBuild());
  expect(asked("one")).toBe(`${text}\n`);
  expect(asked("another")).toBe("undefined\n");
  write("another");
  expect(asked("one")).toBe("undefined\n");
});

test("the stack of an error names files and lines of modules, which stand one after the other in one script", () => {
  const beside = "packages/one/dist/beside.js";
  const text = `[
//# from ${PROGRAM}
(function (exports, require) { const { fail } = require(1);
fail(); }),
//# from ${beside}
(function (exports) {
exports.fail = () => {
  throw new Error("as asked"); }; })]`;
  put("packages/platform/dist/programs.pack", packWith({ build: currentBuild() }, [PROGRAM, beside], text));
  const caught = `const packed = require("./${LOADER}");
try { packed(require("node:path").resolve("${PROGRAM}")); } catch (error) { console.log(packed.inFiles(error.stack)); }`;
  const { stdout } = printed(caught);
  expect(stdout).toContain(join(root, `${beside}:3:`));
  expect(stdout).toContain(join(root, `${PROGRAM}:2:`));
  const inFront = `${caught} console.log(packed.inFiles(packed.PACK + "/0:1"));`;
  expect(printed(inFront).stdout).toContain(`${join(root, "packages/platform/dist/programs.pack")}/0:1\n`);
});

test.each([
  [
    "in texts, patterns and remarks",
    'console.log("\u2026", `\u2013\u00b5\u{1f600}`, /[\u2026-\u2030]/u.test("\u2027")); // \u2026',
  ],
  ["behind a backslash", 'console.log("a\\\u2026", /\\\u2026/.test("\u2026"));'],
])("characters of every script are what they are %s", (_where, text) => {
  const { fromFile, fromPack } = bothWays(text);
  expect(fromFile).toContain("\u2026");
  expect(fromPack).toBe(fromFile);
});

test.each([
  ["what it is and where it lies", "console.log(module.exports === exports, __filename, __dirname);"],
  ["where others lie", 'console.log(require.resolve("./main.js"));'],
  [
    "what the run time has, by any word",
    'const name = "node:path"; console.log(require(name).sep, require("path").sep);',
  ],
])("a module learns %s", (_what, text) => {
  const { fromFile, fromPack } = bothWays(text);
  expect(fromFile).not.toBe("");
  expect(fromPack).toBe(fromFile);
});

test("the stack of an error names the lines of modules that a release has made small", () => {
  put(
    "packages/apiserver-program/dist/program/beside.js",
    `/** Fails. */
exports.fail = (ofCaller) => {
  // A remark, which the pack of a release leaves out.
  const ofModule = ofCaller + 1;
  throw new Error(String(ofModule));
};`,
  );
  const text = `// The program.
const { fail } = require("./beside.js");

try {
  fail(1);
} catch (error) {
  const lines = require(${JSON.stringify(join(root, LOADER))}).inFiles(error.stack).split("\\n");
  console.log(lines.slice(0, 3).join("\\n"));
}`;
  const { fromFile, fromPack } = bothWays(text, { PACK_FORM: "release" });
  expect(fromFile).toMatch(/^Error: 2\n.*beside\.js:5:9\)?\n.*main\.js:5:3\)?\n$/);
  expect(fromPack).toBe(fromFile);
  expect(readFileSync(join(root, "packages/platform/dist/programs.pack"), "latin1")).not.toContain("A remark");
});

test("a late import is loaded at its first call or member access", () => {
  const late = `(function (exports, require, module) {
console.log("loaded"); module.exports = (number) => number + 1; module.exports.member = "member"; })`;
  const first = (use: string) => `(function (exports, require) {
const late = require.late(1); console.log("first"); console.log(${use}); })`;
  const beside = "packages/one/dist/beside.js";
  for (const [use, expected] of [
    ["late(1)", "first\nloaded\n2\n"],
    ["late.member", "first\nloaded\nmember\n"],
    ["typeof late", "first\nfunction\n"],
  ] as const) {
    const pack = packWith({ build: currentBuild() }, [PROGRAM, beside], `[${first(use)},${late}]`);
    put("packages/platform/dist/programs.pack", pack);
    expect(outcome().stdout).toBe(expected);
  }
});

/** Modules as the TypeScript compiler writes them: an index file, what it passes on, and a program that uses two members. */
const PASSED_ON = {
  "index.js": `var one_1 = require("./one");
Object.defineProperty(exports, "one", { enumerable: true, get: function () { return one_1.one; } });
exports.named = __importStar(require("./two"));
function __importStar(module) { return module; }
__exportStar(require("./two"), exports);
function __exportStar(from, to) { for (const name in from) to[name] = from[name]; }
console.log("index");`,
  "one.js": `exports.one = () => "one"; console.log("one loaded");`,
  "two.js": `exports.two = 2; exports.three = [3]; console.log("two loaded");`,
};
const USER = `const index_1 = require("./index");
console.log("start");
const inner = (require) => require((0, index_1.one)());
console.log(inner((word) => word + " required"));
console.log((0, index_1.one)(), [index_1.two, ...index_1.three], index_1.named.two);
const { three } = (() => {
    const { one, three } = require("./index");
    return { one, three };
})();
console.log(three);`;
const USED = "one [ 2, 3 ] 2\n[ 3 ]\n";

test.each([
  [
    "a module that a start needs is loaded with the module that uses it",
    true,
    `one loaded\ntwo loaded\nstart\none required\n${USED}`,
  ],
  ["any other module is loaded when it is first used", false, `start\none loaded\none required\ntwo loaded\n${USED}`],
])("%s, without the index file", (_behaviour, isStart, expected) => {
  for (const [name, text] of Object.entries(PASSED_ON)) put(`packages/apiserver-program/dist/program/${name}`, text);
  const { fromFile, fromPack } = bothWays(USER, {}, isStart);
  expect(fromFile).toBe(`one loaded\ntwo loaded\nindex\nstart\none required\n${USED}`);
  expect(fromPack).toBe(expected);
});

/** Output of a program that is started from its file, and then from a pack of it. @param isStart all modules run at a start */
function bothWays(
  text: string,
  environment: Readonly<Record<string, string>> = {},
  isStart = true,
): { readonly fromFile: string; readonly fromPack: string } {
  const writer = "scripts/pack/pack-file.mjs";
  for (const file of [writer, "scripts/pack/loader.mjs", "scripts/pack/imports.mjs"])
    cpSync(join(repository, file), join(root, file), { recursive: true });
  put("package.json", "{}");
  symlinkSync(join(repository, "node_modules/esbuild"), join(root, "node_modules/esbuild"));
  const entries = [
    "apiserver-program/dist/program/main.js",
    "apiserver/dist/index.js",
    "apiserver/dist/server/large-objects/large-object-thread.js",
    "audit/dist/thread/audit-thread-main.js",
    "controllers/dist/program/main.js",
    "standalone/dist/program/main.js",
  ];
  for (const entry of entries) put(`packages/${entry}`, text);
  for (const name of ["apiserver", "apiserver-program", "audit", "controllers", "standalone"])
    put(`packages/${name}/tsconfig.tsbuildinfo`, "built");
  const main = join(root, "packages/apiserver-program/dist/program/main.js");
  const fromFile = printed(`require("${main}")`).stdout;
  const write = `import { programModules, writePack } from "./${writer}"; const found = programModules(); const none = new Set();
writePack(found, { start: ${isStart} ? new Set(found.keys()) : none, later: none });`;
  const written = spawnSync(process.execPath, ["--input-type=module", "-e", write], {
    encoding: "utf8",
    cwd: root,
    env: { ...process.env, ...environment },
  });
  expect(written.stderr).toBe("");
  put("packages/apiserver-program/dist/program/main.js", 'console.log("from its file");');
  return { fromFile, fromPack: printed(`require("./${LOADER}")("${main}")`).stdout };
}

const COMPILED = `
  const pack = require("./${LOADER}").modules();
  if (pack?.compiled !== true) throw new Error("there is no pack of this build: make build");
  const numbers = pack.scripts.flatMap(({ codeLength }, number) => (codeLength > 0 ? [number] : []));
  for (const number of numbers) pack.open(number);
  console.log(numbers.length > 0, numbers.filter((number) => pack.opened.get(number).cachedDataRejected));
`;

const CHANGED = `require("./${LOADER}")(require.resolve("./packages/platform/dist/index.js")).disablePretenuring();`;
const IN_A_WORKER = `new (require("node:worker_threads").Worker)(${JSON.stringify(COMPILED)}, { eval: true });`;

test.each([
  ["with equal settings", COMPILED],
  ["after a server has changed settings of the run time", `${CHANGED} ${COMPILED}`],
  ["in a worker of a server that has changed them", `${CHANGED} ${IN_A_WORKER}`],
])("Node.js accepts the compiled code of the build %s", (_state, script) => {
  const { stdout, stderr } = spawnSync(process.execPath, ["-e", script], { encoding: "utf8", cwd: repository });
  expect({ stdout, stderr }).toEqual({ stdout: "true []\n", stderr: "" });
});

const EXPORTS = `
  import * as entry from "@orch/apiserver";
  import { createRequire } from "node:module";
  const require = createRequire(process.cwd() + "/");
  const index = require("./${LOADER}")(require.resolve("./packages/apiserver/dist/index.js"));
  console.log(JSON.stringify({ missing: Object.keys(index).filter((name) => entry[name] !== index[name]),
    unknown: Object.keys(entry.default).filter((name) => !(name in index)), count: Object.keys(index).length }));
`;

test("the main module of the API server has every export of its package, for ECMAScript modules too", () => {
  const run = spawnSync(process.execPath, ["--input-type=module", "-e", EXPORTS], {
    encoding: "utf8",
    cwd: repository,
  });
  expect(run.stderr).toBe("");
  const { missing, unknown, count } = JSON.parse(run.stdout);
  expect({ missing, unknown }).toEqual({ missing: [], unknown: [] });
  expect(count).toBeGreaterThan(0);
});
