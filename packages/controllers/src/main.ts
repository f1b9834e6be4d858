// The program `orch-controller-manager`.
import { runProgram } from "./program/run-program";

void runProgram(process.argv.slice(2));
