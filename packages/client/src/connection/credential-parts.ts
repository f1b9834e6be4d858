// Interface of credentials, and the dependencies of their implementations.
import type { Clock } from "@orch/platform";
import type { PluginMetrics } from "./plugin-metrics";
import type { PluginPolicy } from "./plugin-policy";

/** PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export interface Credentials {
  /** Set when the certificate may change with any request, and reading it is cheap. */
  readonly changesAtAnyTime?: boolean;
  /** Set when the certificate is read from files. */
  readonly isInFiles?: boolean;
  /** Value of the header Authorization of requests without a token. Absent: they have none. */
  readonly basic?: string;
  /**
   * Returns the bearer token for the next request, or a promise of it when it must be fetched.
   * @throws Error when it is unavailable
   */
  token(): Promise<string | undefined> | string | undefined;
  /** Returns the certificate for the next handshake. @throws Error when it is unavailable */
  keyPair(): Promise<KeyPair | undefined>;
  /** Invalidates cached credentials after a 401 response. @param token token of the rejected request */
  rejected(token: string | undefined): void;
}

export interface CredentialDeps {
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Default: all commands may run. */
  readonly pluginPolicy?: PluginPolicy | undefined;
  readonly pluginMetrics?: PluginMetrics | undefined;
  /** Use of the standard input that keeps commands from asking a person, such as `a manifest`. Absent: it is free. */
  readonly stdinTakenBy?: string | undefined;
}
