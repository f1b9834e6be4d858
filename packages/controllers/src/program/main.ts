// The program `orch-controller-manager`.
import { setFlagsFromString } from "node:v8";
import { runProgram } from "./run-program";

// Most of what is read is garbage at once, and what is kept changes little: collected at every third that the heap grows, for next to no CPU,
// the process stays at half of what it would take. Said once the modules are loaded: V8 takes compiled code only where it was made by the same flags.
setFlagsFromString("--heap-growing-percent=30");

void runProgram(process.argv.slice(2));
