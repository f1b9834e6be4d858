// Adds the code of whole scripts to the pack. The code of functions that have run, which compile.mjs adds, differs from
// run to run. A start takes the same processor time with either; the pack is 5 MiB larger, and a server 4 MiB.
// Usage: node --hash-seed=1 scripts/pack/compile-whole.mjs. V8 orders what it writes by hashes.
import { setFlagsFromString } from "node:v8";
import { constants, Script } from "node:vm";
import { packed } from "./loader.mjs";
import { writeScripts } from "./pack-file.mjs";

const pack = packed.modules();
setFlagsFromString("--no-lazy");
const compiled = pack.scripts.map(({ first, encoding }, number) => {
  const next = pack.scripts[number + 1]?.first ?? pack.paths.length;
  // Modules that no start runs have scripts of their own, without compiled code.
  if (next === first + 1) return undefined;
  return new Script(pack.source(number).toString(encoding), {
    filename: String(number),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
});
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
