// Adds the code of the functions that the profile lists to the pack, and that of all functions of modules in late folders.
// The code of functions that have run, which compile.mjs adds, differs from run to run.
// The process is started by pack-programs.mjs with options of Node.js that let two runs write equal code. V8 orders what it
// writes by hashes, and does not clear all memory that it uses again: no garbage may be collected before the code is written.
import { execFileSync } from "node:child_process";
import { Session } from "node:inspector";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { constants, Script } from "node:vm";
import { packed } from "./loader.mjs";
import { writeCode } from "./pack-file.mjs";

const ANSWER_MAX_BYTES = 64 * 1024 * 1024;

const pack = packed.modules();
const places = JSON.parse(
  execFileSync(process.execPath, [fileURLToPath(new URL("locate.mjs", import.meta.url))], {
    encoding: "utf8",
    maxBuffer: ANSWER_MAX_BYTES,
  }),
);
const session = new Session();
session.connect();
const scriptIds = new Map();
session.on("Debugger.scriptParsed", ({ params }) => scriptIds.set(params.url, params.scriptId));
session.post("Debugger.enable");
const compiled = pack.scripts.map((_script, number) => compile(number, places[number]));
session.disconnect();
// V8 rejects cached code when its flags differ. Restores the flags of a starting process.
for (const flag of ["--lazy", ...process.execArgv.map((option) => option.replace(/\d+$/, "0"))])
  setFlagsFromString(flag);
writeCode(pack, (number) => compiled[number]?.createCachedData());

/** @param inside lines and columns; null: all functions @returns a script with the code to keep; undefined without any */
function compile(number, inside) {
  if (inside === undefined) return undefined;
  const filename = String(number);
  setFlagsFromString(inside === null ? "--no-lazy" : "--lazy");
  const script = new Script(pack.sourceText(number), {
    filename,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  if (inside === null) return script;
  // The debugger knows a script from its first run, which makes the functions of its modules and calls none.
  script.runInThisContext();
  const scriptId = scriptIds.get(filename);
  for (const [lineNumber, columnNumber] of inside) compileFunction({ scriptId, lineNumber, columnNumber });
  return script;
}

/** Lets the debugger look for a place to stop in a function, for which V8 compiles it and the functions around it. */
function compileFunction(start) {
  const end = { ...start, columnNumber: start.columnNumber + 1 };
  session.post("Debugger.getPossibleBreakpoints", { start, end, restrictToFunction: true }, (error) => {
    if (error !== null) throw error;
  });
}
