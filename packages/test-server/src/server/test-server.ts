// The face of a running test server.
import type { Client } from "@orch/client";
import type { KeyAndCertificate } from "@orch/platform";
import type { JsonObject } from "@orch/schema";
import type { Manifest } from "../manifests/read-manifests";
import type { WaitOptions } from "../manifests/wait-for";
import type { RecordedRequest } from "../requests/recorded-request";
import type { Snapshot } from "../state/snapshot";

/** A user of the server, with everything that a client of this user needs. */
export interface TestIdentity {
  /** Client certificate and its key, PEM. */
  readonly certificate: string;
  readonly key: string;
  /** Text of a client configuration file. */
  readonly kubeconfig: string;
  /** Client of @orch/client, closed with the server. */
  readonly client: Client;
}

export interface TestServer {
  /** `https://127.0.0.1:<port>` */
  readonly url: string;
  readonly port: number;
  /** PEM of the authority that signed the serving certificate. */
  readonly ca: string;
  /** Text of a client configuration file of a user with all permissions. */
  readonly kubeconfig: string;
  /** Path of a file with that text. It is written when it is first asked for, and removed when the server stops. */
  readonly kubeconfigPath: string;
  /** Certificate and key of that user. */
  readonly admin: KeyAndCertificate;
  /** Client of @orch/client for that user, without a rate limit. */
  readonly client: Client;
  /** The users of the options, by name. */
  readonly users: Readonly<Record<string, TestIdentity>>;
  /** Makes a user. */
  issueClient(user: { readonly name: string; readonly groups?: readonly string[] }): TestIdentity;
  /**
   * Applies objects, and waits until definitions among them are established.
   * @returns the stored objects
   */
  applyManifests(...manifests: readonly Manifest[]): Promise<readonly JsonObject[]>;
  /**
   * Calls a function until it returns a value that is not false, undefined or null. An error counts as "not yet".
   * @returns the value
   * @throws Error with the last error of the function when the time has passed
   */
  waitFor<T>(look: () => T | Promise<T>, options?: WaitOptions): Promise<NonNullable<Exclude<T, false>>>;
  /** Returns to the objects that existed when the server became ready, and forgets the recorded requests. */
  reset(): Promise<void>;
  snapshot(): Promise<Snapshot>;
  /** Returns to the objects of a snapshot of this server. */
  restore(snapshot: Snapshot): Promise<void>;
  /** The last 1,000 requests, oldest first, without those of the server's own controllers. */
  readonly requests: readonly RecordedRequest[];
  /** Returns a text about the last requests, and prints it on the standard error output. */
  explain(last?: number): string;
  stop(): Promise<void>;
}
