// Adds the code of the functions that the profile lists to the pack, and that of all functions of modules in late folders.
// The code of functions that have run, which compile.mjs adds, differs from run to run.
// Usage: node --hash-seed=1 scripts/pack/compile-listed.mjs. V8 orders what it writes by hashes.
import { Session } from "node:inspector";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { constants, Script } from "node:vm";
import { functionsByModule } from "./functions.mjs";
import { packed } from "./loader.mjs";
import { lateFolder, writeScripts } from "./pack-file.mjs";
import { readProfile } from "./profile.mjs";

/** Share of the listed functions that may be missing. Each takes about 30 microseconds of a start. */
const UNKNOWN_MAX_SHARE = 0.1;

const pack = packed.modules();
const profile = readProfile();
const listed = new Map([...profile.start, ...profile.later]);
const session = new Session();
session.connect();
const scriptIds = new Map();
session.on("Debugger.scriptParsed", ({ params }) => scriptIds.set(params.url, params.scriptId));
session.post("Debugger.enable");
let unknown = 0;
const compiled = pack.scripts.map(compile);
session.disconnect();
const all = [...listed.values()].flat().length;
if (unknown > all * UNKNOWN_MAX_SHARE) {
  const figures = `${unknown} of ${all} functions that it lists do not exist`;
  throw new Error(`the profile of a start is out of date, ${figures}: run make start-profile`);
}
// V8 rejects cached code when its flags differ. Restores the flags of a starting process.
for (const flag of ["--lazy", "--hash-seed=0"]) setFlagsFromString(flag);
const texts = Object.fromEntries(Object.keys(pack.texts).map((name) => [name, pack.text(name)]));
writeScripts(
  pack.paths,
  pack.scripts.map((script, number) => ({
    ...script,
    source: pack.source(number),
    code: compiled[number]?.createCachedData(),
  })),
  texts,
);

/** Returns a script with the code to keep; undefined for a script without any. */
function compile({ first, encoding }, number) {
  const next = pack.scripts[number + 1]?.first ?? pack.paths.length;
  const paths = pack.paths.slice(first, next);
  if (paths[0].endsWith(".json")) return undefined;
  const isWhole = lateFolder(join(packed.ROOT, paths[0])) !== undefined;
  if (!isWhole && !paths.some((path) => listed.has(path))) return undefined;
  const text = pack.source(number).toString(encoding);
  setFlagsFromString(isWhole ? "--no-lazy" : "--lazy");
  const script = new Script(text, {
    filename: String(number),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  if (!isWhole) {
    // The debugger knows a script from its first run, which makes the functions of its modules and calls none.
    script.runInThisContext();
    for (const [path, functions] of functionsByModule(text, paths))
      for (const name of ["", ...(listed.get(path) ?? [])]) compileFunction(text, number, functions.get(name));
  }
  return script;
}

/** Lets the debugger look for a place to stop in a function, for which V8 compiles it and the functions around it. */
function compileFunction(text, number, place) {
  if (place === undefined) {
    unknown += 1;
    return;
  }
  const before = text.slice(0, place.inside);
  const start = {
    scriptId: scriptIds.get(String(number)),
    lineNumber: before.split("\n").length - 1,
    columnNumber: before.length - before.lastIndexOf("\n") - 1,
  };
  const end = { ...start, columnNumber: start.columnNumber + 1 };
  session.post("Debugger.getPossibleBreakpoints", { start, end, restrictToFunction: true }, (error) => {
    if (error !== null) throw error;
  });
}
