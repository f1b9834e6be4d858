// Runs the command `orch` once and keeps the code that V8 has compiled for it beside its bundle. The request goes to a
// port that refuses, and runs the code that most commands share.
// Usage: node --hash-seed=1 scripts/pack/keep-command-code.cjs FOLDER, the folder of the package of the command. With a
// fixed seed, two runs keep equal code.
const { rmSync, writeFileSync } = require("node:fs");
const { join, resolve } = require("node:path");
const { setFlagsFromString } = require("node:v8");

const folder = resolve(process.argv[2]);
const file = join(folder, `dist/bundle/code-${process.version}-${process.arch}.bin`);
rmSync(file, { force: true });
process.argv.splice(2, process.argv.length, "get", "pods", "--server=https://127.0.0.1:1", "--kubeconfig=/dev/null");
const script = require(join(folder, "bin/load-bundle.js"))();
process.on("exit", () => {
  process.exitCode = 0;
  // V8 rejects cached code when its flags differ. Restores the flag of a starting process.
  setFlagsFromString("--hash-seed=0");
  writeFileSync(file, script.createCachedData());
});
