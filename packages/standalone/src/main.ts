#!/usr/bin/env node
// One process with everything: the API server with its own options, and beside it, as its client, the duties.
import { runProgram } from "@orch/apiserver";
import { startDuties } from "./start-duties";

void runProgram(process.argv.slice(2), { companion: startDuties });
