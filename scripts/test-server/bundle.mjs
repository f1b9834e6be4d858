// Bundles the server, its controllers and the test server's own code with esbuild.
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { build } from "esbuild";

/** Modules of data, which are read when they are first needed and would make every start parse them. */
const DATA = ["packages/schema/dist/generated/description-texts", "packages/schema/dist/generated/descriptor"];
/** Programs of threads. The bundle contains them; a small file at the place of each loads it from there. */
const THREADS = {
  largeObjects: "packages/apiserver/dist/server/large-objects/large-object-thread.js",
  audit: "packages/audit/dist/thread/audit-thread-main.js",
  pool: "packages/test-server/dist/pool/pool-thread.js",
};
/** Files that the server reads beside its code, from the root of the repository. */
const READ = [
  ...["packages/apiserver/package.json", "packages/apiserver/dist/build.json", "packages/apiserver/pages/docs"],
  "packages/controllers/package.json",
];
const EXPLORER_FILES = ["swagger-ui.css", "swagger-ui-bundle.js"];
const OWN_CODE = /\/packages\/[^/]+\/(dist|bin)\/.*\.js$/;
const TEXTS_BY_NAME = "texts.json";
const OPTIONS = { bundle: true, platform: "node", format: "cjs", target: "node20", minify: true, logLevel: "error" };

/** @param root folder of the repository, with a current build @param folder folder of the package */
export async function writeBundle(root, folder) {
  await build({
    ...OPTIONS,
    stdin: { contents: entryText(root), resolveDir: root },
    outfile: join(folder, "server.cjs"),
    // Names of classes are part of messages.
    keepNames: false,
    plugins: [placed(root)],
  });
  await build({
    ...OPTIONS,
    entryPoints: [join(root, "packages/test-server/dist/pool/pooled-server.js")],
    outfile: join(folder, "runner.cjs"),
    plugins: [lateClient],
  });
  for (const path of DATA)
    await build({ ...OPTIONS, entryPoints: [join(root, `${path}.js`)], outfile: join(folder, `${path}.js`) });
  for (const path of READ) cpSync(join(root, path), join(folder, path), { recursive: true });
  for (const [name, path] of Object.entries(THREADS)) {
    const up = relative(dirname(path), "load.cjs");
    write(join(folder, path), `require(${JSON.stringify(up)})().threads.${name}();\n`);
  }
  const explorer = dirname(createRequire(join(root, "packages/apiserver/")).resolve("swagger-ui-dist/package.json"));
  mkdirSync(join(folder, "explorer"));
  for (const name of [...EXPLORER_FILES, "LICENSE"]) copyFileSync(join(explorer, name), join(folder, "explorer", name));
  const { modules } = createRequire(import.meta.url)(join(root, "packages/platform/bin/packed.js"));
  const pack = modules();
  if (pack === undefined) throw new Error("there is no pack of the current build: run make build");
  const texts = Object.fromEntries(Object.keys(pack.texts).map((name) => [name, pack.text(name)]));
  write(join(folder, TEXTS_BY_NAME), JSON.stringify(texts));
}

/** Takes the client library from the large bundle, which few workers of a test runner need. */
const lateClient = {
  name: "late-client",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^@orch\/client$/ }, () => ({ path: "client", namespace: "late" }));
    onLoad({ filter: /^client$/, namespace: "late" }, () => ({
      contents: 'module.exports = require("./load.cjs")().client();',
    }));
    onResolve({ filter: /^\.\/load\.cjs$/ }, ({ path }) => ({ path, external: true }));
  },
};

function entryText(root) {
  const path = (name) => JSON.stringify(join(root, name));
  const threads = Object.entries(THREADS).map(([name, file]) => `${name}: () => require(${path(file)})`);
  return `
exports.testServer = () => require(${path("packages/test-server/dist/index.js")});
exports.pool = () => require(${path("packages/test-server/dist/pool/server-pool.js")});
exports.client = () => require(${path("packages/client/dist/index.js")});
exports.program = () => require(${path("packages/standalone/dist/program/main.js")});
exports.envtest = () => require(${path("packages/test-server/dist/envtest/api-server.js")});
exports.threads = { ${threads.join(", ")} };`;
}

/** Gives bundled modules the folders that they would have in the repository, below the folder of the package. */
function placed(root) {
  const isData = (path) => DATA.find((one) => path === join(root, one) || path === join(root, `${one}.js`));
  return {
    name: "placed",
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /bin\/packed$/ }, () => ({ path: "packed", namespace: "own" }));
      onLoad({ filter: /^packed$/, namespace: "own" }, () => ({ contents: PACKED, loader: "js" }));
      // The main module of this package loads its modules from the pack.
      onResolve({ filter: /^@orch\/apiserver$/ }, () => ({ path: join(root, "packages/apiserver/dist/index.js") }));
      onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir }) => {
        const data = isData(join(resolveDir, path));
        return data && { path: `./${data}.js`, external: true };
      });
      onLoad({ filter: OWN_CODE }, ({ path }) => ({ contents: inPlace(root, path), loader: "js" }));
    },
  };
}

function inPlace(root, path) {
  const here = JSON.stringify(`/${relative(root, dirname(path))}`);
  return readFileSync(path, "utf8")
    .replaceAll('require.resolve("@orch/platform/bin/packed-thread")', '(__dirname + "/thread.cjs")')
    .replaceAll(/require\.resolve\(`\$\{EXPLORER\}\/package\.json`\)/g, '(__dirname + "/explorer/package.json")')
    .replaceAll(/(?<![\w"/])__dirname(?! \+ ")/g, `(__dirname + ${here})`);
}

/** Stands in for packages/platform/bin/packed.js. */
const PACKED = `
const { readFileSync } = require("node:fs");
let texts;
module.exports = require;
module.exports.inFiles = (stack) => stack;
module.exports.generatedByBuild = (name) => {
  texts ??= JSON.parse(readFileSync(__dirname + "/${TEXTS_BY_NAME}", "utf8"));
  return texts[name];
};`;

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
