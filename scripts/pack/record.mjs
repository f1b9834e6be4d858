// Adds the functions of a run to the profile of a start. Usage: node scripts/pack/record.mjs, with a pack of a release that
// choose.mjs has written.
import { Session } from "node:inspector";
import { functionsByModule } from "./functions.mjs";
import { packed } from "./loader.mjs";
import { readProfile, writeProfile } from "./profile.mjs";
import { runTypically } from "./typical-run.mjs";

const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
await runTypically();
const pack = packed.modules();
const profile = readProfile();
session.post("Profiler.takePreciseCoverage", (error, { result }) => {
  if (error !== null) throw error;
  const ran = new Map(result.map(({ url, functions }) => [url.replace("file://", ""), functions]));
  pack.scripts.forEach((_script, number) => {
    const functions = ran.get(pack.nameOf(number));
    if (functions !== undefined) addFunctions(number, functions);
  });
});
writeProfile(profile);
process.exit(0);

function addFunctions(number, functions) {
  const paths = pack.pathsOf(number);
  if (paths[0].endsWith(".json")) return;
  const byEnd = new Map();
  for (const [path, places] of functionsByModule(pack.sourceText(number), paths))
    for (const [name, { start, end }] of places) byEnd.set(end, [...(byEnd.get(end) ?? []), { path, name, start }]);
  for (const { ranges } of functions) {
    const [{ count, startOffset, endOffset }] = ranges;
    const nearest = byEnd
      .get(endOffset)
      ?.sort((one, other) => Math.abs(one.start - startOffset) - Math.abs(other.start - startOffset))[0];
    const names = nearest && (profile.start.get(nearest.path) ?? profile.later.get(nearest.path));
    if (count > 0 && nearest?.name !== "" && names?.includes(nearest.name) === false) names.push(nearest.name);
  }
}
