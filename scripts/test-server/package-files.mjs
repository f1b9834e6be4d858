// Writes the files of the test server's package beside its bundle.
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const OWN = "packages/test-server";

export function writePackageFiles(root, folder) {
  const { name, version, license, description } = JSON.parse(readFileSync(join(root, OWN, "package.json"), "utf8"));
  const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  for (const file of readdirSync(join(root, OWN, "bundle")))
    copyFileSync(join(root, OWN, "bundle", file), join(folder, file));
  copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  copyFileSync(join(root, OWN, "README.md"), join(folder, "README.md"));
  const types = "./types/test-server/index.d.ts";
  const contents = {
    ...{ name, version, description, license, engines },
    main: "./index.cjs",
    types,
    exports: { ".": { types, import: "./index.mjs", default: "./index.cjs" }, "./package.json": "./package.json" },
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(contents, undefined, 2)}\n`);
}
