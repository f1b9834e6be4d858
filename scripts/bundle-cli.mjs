// Bundles the command `orch` into packages/cli/dist/bundle, with the code that V8 compiles for it, so that it starts in
// one read of one file. See packages/cli/bin/load-bundle.js.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "packages/cli/dist/bundle");
/** Programs of servers, which load their own modules from the pack. */
const PROGRAMS = ["@orch/apiserver-program", "@orch/controllers", "@orch/standalone", "@orch/test-server"];
const EXTERNAL = [
  ...PROGRAMS.flatMap((name) => [name, `${name}/*`]),
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

rmSync(folder, { recursive: true, force: true });
await build({
  entryPoints: [join(root, "packages/cli/dist/main.js")],
  outfile: join(folder, "orch.cjs"),
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  minify: true,
  keepNames: true,
  logLevel: "error",
  // The code cache of V8 needs a text of one byte per character.
  charset: "ascii",
  external: EXTERNAL,
  plugins: [apartFrom(/schema\/dist\/generated\/(description-texts|descriptor)$/)],
  // Packages with modules of both kinds are taken once.
  mainFields: ["main", "module"],
  conditions: ["require"],
});
const KEEP = `
const { writeFileSync } = require("node:fs");
const script = require("./packages/cli/bin/load-bundle")();
process.on("exit", () => {
  process.exitCode = 0;
  writeFileSync(${JSON.stringify(folder)} + "/code-" + process.version + "-" + process.arch + ".bin", script.createCachedData());
});`;
// A request to a port that refuses runs the code that most commands share.
const words = ["get", "pods", "--server=https://127.0.0.1:1", "--kubeconfig=/dev/null"];
const { status, stderr } = spawnSync(process.execPath, ["-e", KEEP, "--", ...words], { cwd: root, encoding: "utf8" });
if (status !== 0) console.error(`orch will start without compiled code, for it could not be had:\n${stderr}`);
