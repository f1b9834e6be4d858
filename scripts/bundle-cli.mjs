// Bundles the command `orch` into packages/cli/dist/bundle, with the code that V8 compiles for it, so that it starts in
// one read of one file. The bundle `server` has what starts a server, `orch` has all commands. See
// packages/cli/bin/load-bundle.js.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "packages/cli/dist/bundle");
/** Programs of servers, which load their own modules from the pack. */
const PROGRAMS = ["@orch/apiserver-program", "@orch/controllers", "@orch/standalone", "@orch/test-server"];
const EXTERNAL = [
  ...PROGRAMS.flatMap((name) => [name, `${name}/*`]),
  "@orch/backup",
  "@orch/platform/bin/packed",
  "@orch/store",
  "etcd3",
];

/**
 * Leaves modules of data out of the bundle. They are as large as half of its code, and V8 would read them at every
 * start; few commands need them.
 */
const apartFrom = (paths) => ({
  name: "data-apart",
  setup({ onResolve }) {
    onResolve({ filter: /generated\// }, ({ path, resolveDir }) => {
      const whole = join(resolveDir, path);
      return paths.test(whole) ? { path: `@orch/${whole.slice(whole.indexOf("schema/dist/"))}`, external: true } : null;
    });
  },
});

/**
 * Lets the face of a package load a module when one of its members is first used. A command uses a small part of the
 * packages below it.
 */
const lateFaces = {
  name: "late-faces",
  setup({ onLoad }) {
    onLoad({ filter: /\/packages\/[^/]+\/dist\/(?:.*\/)?index\.js$/ }, ({ path }) => ({
      contents: withLateModules(withNames(readFileSync(path, "utf8"), dirname(path))),
      loader: "js",
    }));
  },
};

/** Names what a face passes on of whole modules, so that it need not load them to learn their names. */
function withNames(text, folder) {
  const load = createRequire(join(folder, "index.js"));
  const named = new Set([
    "default",
    ...[...text.matchAll(/^Object\.defineProperty\(exports, "(\w+)"/gm)].map(([, name]) => name),
  ]);
  return text.replaceAll(/^__exportStar\(require\("([^"]+)"\), exports\);$/gm, (_, path) =>
    Object.keys(load(path))
      .filter((name) => !named.has(name) && named.add(name))
      .map((name) => `Object.defineProperty(exports, "${name}", ${lateGetter(path, name)});`)
      .join("\n"),
  );
}

const lateGetter = (path, name) => `{ enumerable: true, get: function () { return require("${path}").${name}; } }`;

function withLateModules(text) {
  const modules = new Map();
  const rest = text.replaceAll(/^(?:var|const) (\w+) = require\("([^"]+)"\);$/gm, (_, name, path) => {
    modules.set(name, path);
    return "";
  });
  const late = rest.replaceAll(/return (\w+)\.(\w+);/g, (all, name, member) =>
    modules.has(name) ? `return require("${modules.get(name)}").${member};` : all,
  );
  for (const name of modules.keys())
    if (new RegExp(`\\b${name}\\b`).test(late)) throw new Error(`a face uses ${name} at its start: export it only`);
  return late;
}

/** Entry modules by the name of the bundle. */
const ENTRIES = { orch: "main", server: "server-main" };

rmSync(folder, { recursive: true, force: true });
await build({
  entryPoints: Object.entries(ENTRIES).map(([out, entry]) => ({
    in: join(root, `packages/cli/dist/${entry}.js`),
    out,
  })),
  outdir: folder,
  outExtension: { ".js": ".cjs" },
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  minify: true,
  keepNames: true,
  logLevel: "error",
  // A text of one byte per character is read in a quarter of the time.
  charset: "ascii",
  external: EXTERNAL,
  plugins: [lateFaces, apartFrom(/schema\/dist\/generated\/(description-texts|descriptor)$/)],
  // Packages with modules of both kinds are taken once.
  mainFields: ["main", "module"],
  conditions: ["require"],
});
for (const name of Object.keys(ENTRIES)) {
  const file = join(folder, `${name}.cjs`);
  // The compiler leaves characters in regular expressions as they are.
  const escaped = readFileSync(file, "utf8").replaceAll(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  writeFileSync(file, escaped);
  keepCode(name);
}

function keepCode(name) {
  const keep = join(root, "scripts/pack/keep-command-code.cjs");
  const words = ["--hash-seed=1", keep, join(root, "packages/cli"), name];
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: "utf8", timeout: 60_000 });
  if (status !== 0) console.error(`orch will start without compiled code, for it could not be had:\n${stderr}`);
}
