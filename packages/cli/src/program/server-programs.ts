// The programs of servers as commands: `orch apiserver` and `orch controller-manager` take the options of the programs
// unchanged, and load none of the code of the other commands.
const PROGRAMS: Readonly<Record<string, string>> = {
  apiserver: "@orch/apiserver-program/dist/main.js",
  "controller-manager": "@orch/controllers/dist/main.js",
  standalone: "@orch/standalone/dist/main.js",
};
/** Process of `orch up` in the background, and each of its workers. */
const UP_PROCESS = "up-process";

/** Runs a program when its name is the first word. @returns undefined otherwise; never settles while the program runs */
export function runServerProgram(words: readonly string[]): Promise<number> | undefined {
  const [name = "", ...rest] = words;
  if (name === UP_PROCESS) return runUpProcess(rest);
  if (name === "--version") return printVersion(rest);
  const program = PROGRAMS[name];
  if (program === undefined) return undefined;
  // Workers are started with the path of the program.
  process.argv.splice(1, Number.POSITIVE_INFINITY, require.resolve(program), ...rest);
  require(program);
  // The program sets the exit code of the process and ends it.
  return new Promise(() => {});
}

/** Prints the version of the product, the release of the API that its servers serve, and the commit. */
function printVersion(flags: readonly string[]): Promise<number> {
  const load = require("@orch/platform/bin/packed") as (path: string) => unknown;
  const path = require.resolve("@orch/standalone/dist/program/run-standalone.js");
  const { runStandalone } = load(path) as {
    readonly runStandalone: (flags: readonly string[], options: { readonly name: string }) => void;
  };
  runStandalone(["--version", ...flags], { name: "orch" });
  return Promise.resolve(0);
}

async function runUpProcess([plan = "", ...flags]: readonly string[]): Promise<number> {
  const { runUp } = await import("../commands/server/up/run-up.js");
  const running = runUp(JSON.parse(plan), flags);
  if (running === undefined) return new Promise(() => {});
  process.stderr.write(`error: process ${running.pid} serves this data directory already\n`);
  return 1;
}
