// The API server as a library: starts a whole server inside a process.

export type { KeyAndCertificate } from "@orch/platform";
export type { Logger } from "./logging/logger";
export {
  type Companion,
  type CompanionConfig,
  type CompanionOptions,
  type CompanionServer,
  type ProgramOptions,
  runProgram,
} from "./program/run-program";
export { type RunningServer, type StartOptions, startServer } from "./server/start-server";
