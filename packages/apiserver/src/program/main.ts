// The program `orch-apiserver`: options to a running server, and signals to its end.
import { runProgram } from "./run-program";

void runProgram(process.argv.slice(2));
