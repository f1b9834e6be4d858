// Entry point of `orch up` and of the programs of servers. Its bundle is a fraction of that of all commands, so that a
// server is ready earlier. bin/load-bundle.js holds the words that lead here.
import { main } from "./program/main";
import { runServerProgram } from "./program/server-programs";
import { UP_COMMAND } from "./program/up-command";

const words = process.argv.slice(2);

void (runServerProgram(words) ?? main(words, [UP_COMMAND])).then((code) => {
  process.exitCode = code;
});
