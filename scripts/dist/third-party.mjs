// Third-party packages of a release: those that the released packages of this repository need, as package-lock.json
// has them.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Returns the third-party packages that packages need, directly or through others.
 * @param root folder of the repository
 * @param names folders below `packages`
 * @returns entries of package-lock.json, by their paths, sorted
 */
export function thirdPartyPackages(root, names) {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  const found = new Map();
  const waiting = names.map((name) => `packages/${name}`);
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const { dependencies = {}, optionalDependencies = {} } = lock[path];
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const place = placeOf(lock, path, name);
      if (place === undefined || lock[place].link || found.has(place) || isTypesOnly(name)) continue;
      // An optional package of another platform is not installed.
      if (!existsSync(join(root, place))) continue;
      found.set(place, lock[place]);
      waiting.push(place);
    }
  }
  return new Map([...found].sort(([one], [other]) => (one < other ? -1 : 1)));
}

const isTypesOnly = (name) => name.startsWith("@types/");

/** Returns where Node.js finds a package that a package requires. */
function placeOf(lock, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/")))) {
    const place = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (lock[place] !== undefined) return place;
    if (folder === "") return undefined;
  }
}
