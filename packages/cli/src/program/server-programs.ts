// The programs of servers as commands: `orch apiserver` and `orch controller-manager` take the options of the programs
// unchanged, and load none of the code of the other commands.
const PROGRAMS: Readonly<Record<string, string>> = {
  apiserver: "@orch/apiserver-program/dist/main.js",
  "controller-manager": "@orch/controllers/dist/main.js",
  standalone: "@orch/standalone/dist/main.js",
};

/** Runs a program when its name is the first word. @returns undefined otherwise; never settles while the program runs */
export function runServerProgram(words: readonly string[]): Promise<number> | undefined {
  const [name = "", ...rest] = words;
  const program = PROGRAMS[name];
  if (program === undefined) return undefined;
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...rest);
  require(program);
  // The program sets the exit code of the process and ends it.
  return new Promise(() => {});
}
