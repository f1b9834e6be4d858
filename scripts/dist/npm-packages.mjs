// npm tarballs of packages of this repository. Each contains the packages of this repository that it needs, as bundled
// dependencies. Third-party packages are installed by npm.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeTarball } from "./archive.mjs";
import { copyFile, copyPackage, put } from "./program-files.mjs";

const OWN = /^@orch\//;
/** Oldest version of Node.js for which the packages are tested; `make run` supports older ones. */
const NODE = ">=20.19";

/**
 * @param target path of the tarball
 * @param name folder below `packages`
 * @param folder folder for the files of the tarball
 * @param withTypes whether users compile against the package
 */
export function writeNpmPackage(target, { root, name, folder, release, withTypes = false }) {
  const manifests = manifestsFrom(root, name);
  const [manifest, ...bundled] = manifests.values();
  const own = join(folder, "package");
  for (const [each, { name: whole }] of manifests)
    copyPackage(join(root, "packages", each), each === name ? own : join(own, "node_modules", whole), { withTypes });
  const { version, commit, treeState, date } = release;
  for (const each of ["apiserver", "controllers"].filter((each) => manifests.has(each)))
    put(join(own, "node_modules/@orch", each, "dist/build.json"), `${JSON.stringify({ commit, treeState, date })}\n`);
  for (const file of ["LICENSE", "CHANGELOG.md"]) copyFile(join(root, file), join(own, file));
  const thirdParty = Object.assign(
    {},
    ...[...manifests.values()].map(({ dependencies = {} }) => outside(dependencies)),
  );
  const { scripts: _scripts, devDependencies: _tools, files: _files, ...kept } = manifest;
  put(
    join(own, "package.json"),
    `${JSON.stringify(
      {
        ...kept,
        version,
        engines: { node: NODE },
        dependencies: sorted({
          ...Object.fromEntries(bundled.map((each) => [each.name, each.version])),
          ...thirdParty,
        }),
        bundleDependencies: bundled.map((each) => each.name).sort(),
      },
      undefined,
      2,
    )}\n`,
  );
  // npm installs the third-party packages of bundled packages beside them only when the outer package names them.
  for (const { name: whole, dependencies: _own, ...rest } of bundled)
    put(join(own, "node_modules", whole, "package.json"), bundledManifest(whole, rest));
  writeTarball(target, { folder, name: "package", epoch: release.epoch });
}

function bundledManifest(name, { version, license, main, types, bin }) {
  return `${JSON.stringify({ name, version, license, main, types, bin }, undefined, 2)}\n`;
}

/** Returns the manifests of a package and of the packages of this repository that it needs, by folder. */
function manifestsFrom(root, first) {
  const found = new Map();
  const waiting = [first];
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    if (found.has(name)) continue;
    const manifest = JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"));
    found.set(name, manifest);
    const needed = Object.keys(manifest.dependencies ?? {}).filter((each) => OWN.test(each));
    waiting.push(...needed.map((each) => each.replace(OWN, "")));
  }
  return found;
}

const outside = (dependencies) => Object.fromEntries(Object.entries(dependencies).filter(([name]) => !OWN.test(name)));
const sorted = (values) => Object.fromEntries(Object.entries(values).sort(([one], [other]) => (one < other ? -1 : 1)));
