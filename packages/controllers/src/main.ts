// The program `orch-controller-manager`.
import { setFlagsFromString } from "node:v8";
import { runProgram } from "./program/run-program";

// Most of what is read is garbage at once, and what is kept changes little: collected at every third that the heap grows, for next to no CPU,
// the process stays at half of what it would take.
setFlagsFromString("--heap-growing-percent=30");

void runProgram(process.argv.slice(2));
