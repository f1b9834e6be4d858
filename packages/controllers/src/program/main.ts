// The program `orch-controller-manager`.
import { setFlagsFromString } from "node:v8";
import { withFlagFile } from "@orch/machinery";
import { completeWords } from "@orch/platform";
import { flagAliases } from "./manager-flags";
import { managerOptions } from "./manager-options";
import { runProgram } from "./run-program";

// Most allocated data is garbage immediately, and the retained data changes little. Collecting whenever the heap has
// grown by 30% costs next to no CPU and halves the memory of the process. The flag is set after the modules are loaded:
// V8 accepts cached code only if it was compiled with the same flags.
setFlagsFromString("--heap-growing-percent=30");

const words = completeWords(process.argv.slice(2), (given) =>
  withFlagFile(given, () => {
    const table = managerOptions();
    return { table, aliases: flagAliases(table) };
  }),
);
if (words !== undefined) void runProgram(words);
