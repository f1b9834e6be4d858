// Copies the declarations of the test server's interface, and all that they refer to, into one folder that needs no
// other package. Imports of a package are replaced by imports of the files that declare the imported names.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, relative } from "node:path";

const ENTRIES = [
  ...["index", "pool/pooled-server", "pool/server-pool"].map((name) => `test-server/dist/${name}.d.ts`),
  "client/dist/index.d.ts",
];
const FROM_PACKAGE = /^(import|export) (type )?\{([^}]*)\} from "@orch\/([a-z-]+)";$/gm;
const INLINE = /import\("@orch\/([a-z-]+)"\)\.(\w+)/g;
const IMPORTED = /(from |import\(|import )"([^"]+)"/g;
const COMMENT_OF_MAP = /^\/\/# sourceMappingURL=.*$/gm;

/** @param root folder of the repository, with a current build @param folder receives one folder for each package */
export function writeTypes(root, folder) {
  const packages = {
    read: (path) => readFileSync(join(root, "packages", path), "utf8"),
    /** Returns the file of a relative import. */
    fileOf: (from, wanted) => {
      const path = join(dirname(from), wanted).replace(/\.js$/, "");
      return existsSync(join(root, "packages", `${path}.d.ts`)) ? `${path}.d.ts` : `${path}/index.d.ts`;
    },
  };
  const done = new Set();
  const waiting = [...ENTRIES];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (done.has(path)) continue;
    done.add(path);
    const moved = withoutPackages(packages, packages.read(path).replaceAll(COMMENT_OF_MAP, "")).replaceAll(
      IMPORTED,
      (whole, before, wanted) => {
        const found = declarationOf(packages, path, wanted);
        if (found === undefined) return whole;
        waiting.push(found);
        const to = relative(dirname(targetOf(path)), targetOf(found)).replace(/\.d\.ts$/, ".js");
        return `${before}"${to.startsWith(".") ? to : `./${to}`}"`;
      },
    );
    const target = join(folder, targetOf(path));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, moved);
  }
}

/** Replaces imports of packages by imports of `@file/<path of the declaration>`. */
function withoutPackages(packages, text) {
  const one = (name, symbol) => `@file/${declaringFile(packages, `${name}/dist/index.d.ts`, symbol)}`;
  return text
    .replaceAll(FROM_PACKAGE, (_whole, statement, type = "", names, name) =>
      names
        .split(",")
        .map((each) => each.trim())
        .filter((each) => each !== "")
        .map((each) => {
          const [symbol] = each.replace(/^type /, "").split(" as ");
          return `${statement} ${type}{ ${each} } from "${one(name, symbol)}";`;
        })
        .join("\n"),
    )
    .replaceAll(INLINE, (_whole, name, symbol) => `import("${one(name, symbol)}").${symbol}`);
}

/** Returns the file that declares a symbol which an index exports. */
function declaringFile(packages, index, symbol) {
  const { fileOf, read } = packages;
  const text = read(index);
  for (const [, names, from] of text.matchAll(/^export (?:type )?\{([^}]*)\} from "([^"]+)";$/gm)) {
    const exported = names.split(",").map((each) => each.trim().replace(/^type /, ""));
    if (!exported.includes(symbol)) continue;
    const [, other] = from.match(/^@orch\/([a-z-]+)$/) ?? [];
    return other === undefined ? fileOf(index, from) : declaringFile(packages, `${other}/dist/index.d.ts`, symbol);
  }
  for (const [, from] of text.matchAll(/^export (?:type )?\* from "(\.[^"]+)";$/gm)) {
    const file = fileOf(index, from);
    if (new RegExp(`^export .*\\b${symbol}\\b`, "m").test(read(file))) return file;
  }
  throw new Error(`${index}: no declaration of ${symbol} was found`);
}

const targetOf = (path) => path.replace("/dist/", "/");

/** Returns the path of a declaration below `packages`; undefined for a module of Node.js. */
function declarationOf({ fileOf }, from, wanted) {
  if (wanted.startsWith("@file/")) return wanted.slice("@file/".length);
  if (wanted.startsWith(".")) return fileOf(from, wanted);
  if (builtinModules.includes(wanted.replace(/^node:/, ""))) return undefined;
  throw new Error(`${from}: the declarations need ${wanted}, which is no part of the package`);
}
