// Entry point of `orch`.
import { processIo } from "./process/io";
import { COMMANDS } from "./program/every-command";
import { main } from "./program/main";
import { runServerProgram } from "./program/server-programs";

async function run(words: readonly string[]): Promise<number> {
  const [first, ...rest] = words;
  if (first === "__complete") return (await import("./program/complete.js")).complete(rest, processIo());
  return runServerProgram(words) ?? main(words, COMMANDS);
}

void run(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
