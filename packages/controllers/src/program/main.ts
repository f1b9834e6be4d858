// The program `orch-controller-manager`.
import { withFlagFile } from "@orch/machinery";
import { changeFlag, completeWords } from "@orch/platform";
import { flagAliases } from "./manager-flags";
import { managerOptions } from "./manager-options";
import { runProgram } from "./run-program";

// Most allocated data is garbage immediately, and the retained data changes little. Collecting whenever the heap has
// grown by 30% costs next to no CPU and halves the memory of the process.
changeFlag("--heap-growing-percent=0", "--heap-growing-percent=30");

const words = completeWords(process.argv.slice(2), (given) =>
  withFlagFile(given, () => {
    const table = managerOptions();
    return { table, aliases: flagAliases(table) };
  }),
);
if (words !== undefined) void runProgram(words);
