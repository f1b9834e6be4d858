// The program `orch-apiserver`: options to a running server, and signals to its end.
import { setFlagsFromString } from "node:v8";
import { runProgram } from "./program/run-program";

// Objects are kept as bytes, and what requests leave behind is garbage at once: collected at every third that the heap grows, for next to
// no CPU, the process stays at what it holds.
setFlagsFromString("--heap-growing-percent=30");

void runProgram(process.argv.slice(2));
