// Reads and writes the profile of a start: the modules and functions that a server runs until it is ready, and later while
// it serves typical requests. Releases are built with the profile of the repository, so that two builds are equal: which
// functions a server runs differs a little from run to run. See CONTRIBUTING.md.
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const FILE = new URL("start-profile.txt", import.meta.url);
const HEAD = `# Modules and functions that a server runs at its start, and later while it serves typical requests.
# make start-profile writes this file. A module or function that it lacks is loaded or compiled at its first use.
`;
const BUILT_IN = "built-in";
const TIERS = ["start", "later"];

/** @returns functions by the path of their module, for the modules of each tier; empty without a profile */
export function readProfile() {
  const profile = { builtIn: [], start: new Map(), later: new Map() };
  if (!existsSync(FILE)) return profile;
  for (const line of readFileSync(FILE, "utf8").split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const [tier, ...words] = line.split(" ");
    if (tier === BUILT_IN) profile.builtIn = words;
    else profile[tier].set(words[0], words.slice(1));
  }
  return profile;
}

export function writeProfile(profile) {
  const lines = TIERS.flatMap((tier) =>
    Array.from(profile[tier], ([path, names]) => [tier, path, ...[...names].sort()].join(" ")).sort(),
  );
  writeFileSync(FILE, `${HEAD}${[BUILT_IN, ...profile.builtIn].join(" ")}\n${lines.join("\n")}\n`);
}

/** Returns a profile as the writer of a pack takes it. @param join returns the path of a module */
export function tiersOf(profile, join) {
  const paths = (tier) => Array.from(profile[tier].keys(), join);
  const builtIn = profile.builtIn.flatMap((name) => [name, `node:${name}`]);
  return { start: new Set([...paths("start"), ...builtIn]), later: new Set(paths("later")) };
}
