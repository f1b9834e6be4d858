// Writes a pack whose modules are joined by when a server runs them: at its start, later, or never. A server that runs for
// it tells when, or the profile of the repository with --listed. With --record, the server's modules become the profile.
import { builtinModules } from "node:module";
import { join, relative } from "node:path";
import { packed } from "./loader.mjs";
import { lateFolder, programModules, writePack } from "./pack-file.mjs";
import { preparedTexts } from "./prepared.mjs";
import { readProfile, tiersOf, writeProfile } from "./profile.mjs";
import { runTypically } from "./typical-run.mjs";

const absolute = (path) => join(packed.ROOT, path);
const found = programModules();
const words = process.argv.slice(2);
const profile = words.includes("--listed") ? readProfile() : await profileOfRun();
if (words.includes("--record")) writeProfile(profile);
writePack(found, tiersOf(profile, absolute), await preparedTexts());
process.exit(0);

async function profileOfRun() {
  const profile = { builtIn: [], start: new Map(), later: new Map() };
  await runTypically(() => {
    profile.builtIn = builtinModules.filter((name) => process.moduleLoadList.includes(`NativeModule ${name}`));
    profile.start = loadedModules();
  });
  const isLater = (path) => !profile.start.has(path);
  const paths = [...loadedModules().keys(), ...modulesOfLateFolders()];
  profile.later = new Map(paths.filter(isLater).map((path) => [path, []]));
  return profile;
}

function loadedModules() {
  const { paths, loaded } = packed.modules();
  return new Map(paths.filter((_path, place) => loaded[place] !== undefined).map((path) => [path, []]));
}

function modulesOfLateFolders() {
  const paths = Array.from(found.keys(), (path) => relative(packed.ROOT, path));
  return paths.filter((path) => lateFolder(absolute(path)) !== undefined);
}
