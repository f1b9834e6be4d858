// The API server as a program, for programs that add to it.

export {
  type Companion,
  type CompanionConfig,
  type CompanionServer,
  type ProgramOptions,
  type ReadyServer,
  type ReadyTexts,
  runProgram,
} from "./program/run-program";
export { knownServerFlags } from "./program/server-flags";
