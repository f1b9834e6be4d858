// Prints where the functions that the profile lists are in the scripts of a pack: for each script, by its number, the lines and
// columns of its functions; null for a script of which the code of all functions is kept.
import { join } from "node:path";
import { functionsByModule } from "./functions.mjs";
import { packed } from "./loader.mjs";
import { lateFolder } from "./pack-file.mjs";
import { readProfile } from "./profile.mjs";

/** Share of the listed functions that may be missing. Each takes about 30 microseconds of a start. */
const UNKNOWN_MAX_SHARE = 0.1;

const pack = packed.modules();
const profile = readProfile();
const listed = new Map([...profile.start, ...profile.later]);
let unknown = 0;
const places = pack.scripts.flatMap((_script, number) => {
  const paths = pack.pathsOf(number);
  if (paths[0].endsWith(".json")) return [];
  if (lateFolder(join(packed.ROOT, paths[0])) !== undefined) return [[number, null]];
  return paths.some((path) => listed.has(path)) ? [[number, placesIn(number, paths)]] : [];
});
const all = [...listed.values()].flat().length;
if (unknown > all * UNKNOWN_MAX_SHARE) {
  const figures = `${unknown} of ${all} functions that it lists do not exist`;
  throw new Error(`the profile of a start is out of date, ${figures}: run make start-profile`);
}
console.log(JSON.stringify(Object.fromEntries(places)));

function placesIn(number, paths) {
  const text = pack.sourceText(number);
  const starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
  const found = [];
  for (const [path, functions] of functionsByModule(text, paths))
    for (const name of ["", ...(listed.get(path) ?? [])]) {
      const inside = functions.get(name)?.inside;
      const line = starts.findLastIndex((start) => start <= inside);
      if (inside === undefined) unknown += 1;
      else found.push([line, inside - starts[line]]);
    }
  return found;
}
