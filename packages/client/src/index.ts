export { ConfigurationError } from "./connection/configuration-error";
export type {
  ConnectionSettings,
  CredentialSettings,
  ExecSettings,
  Impersonation,
  TextSource,
  TlsSettings,
} from "./connection/connection-settings";
export { ExecCredentialError } from "./connection/exec-command";
export { type ClientLog, silentLog } from "./log";
export { Client, type ClientOptions } from "./requests/client";
export type * from "./requests/options";
export { TimeoutError } from "./requests/request-bound";
export { type Deleted, type List, ResourceClient } from "./requests/resource-client";
export type { ResourceType } from "./requests/resource-type";
export type { WatchEvent } from "./requests/watch-events";
export { type Chance, type Clock, systemClock } from "./time/clock";
export { ConnectionError } from "./transport/transport";
