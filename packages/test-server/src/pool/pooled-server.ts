// The server of a test worker, as its tests use it. The server itself runs in a thread of the runner's main process.
import type { Client } from "@orch/client";
import type { Manifest } from "../manifests/read-manifests";
import { settled, type WaitOptions } from "../manifests/wait-for";
import { pairConnection } from "../messages/pair-connection";
import { explanation } from "../requests/explanation";
import type { RecordedRequest } from "../requests/recorded-request";
import type { Snapshot } from "../state/snapshot";
import { ask } from "./json-endpoint";
import { type Place, POOL_VARIABLE, type PoolCalls, type ServerFacts, type UserFacts } from "./pool-protocol";

const PROGRAM = "test-server";

/** A user of the server, with everything that a client of this user needs. */
export interface PooledIdentity extends UserFacts {
  /** Client of @orch/client. It is loaded when it is first asked for. */
  readonly client: Client;
}

export class PooledServer {
  private place: Place | undefined;
  private facts: ServerFacts | undefined;
  private readonly clients = new Map<string, Client>();
  private readonly snapshots = new WeakMap<Snapshot, number>();

  /** @param worker number of the worker, as the test runner counts them */
  constructor(private readonly worker: string) {}

  /** Gets the server of this worker, which the first call starts, and returns it to its first objects. */
  async begin(): Promise<void> {
    const pool = process.env[POOL_VARIABLE];
    if (pool === undefined)
      throw new Error(
        "no test server: the configuration of the test runner lacks the globalSetup of @orch/test-server",
      );
    this.place ??= (await ask(JSON.parse(pool) as Place, this.worker, {})) as Place;
    this.facts ??= await this.call("facts", {});
    await this.reset();
  }

  /** Closes the clients of this worker. */
  end(): void {
    for (const client of this.clients.values()) client.close();
    this.clients.clear();
  }

  /** `https://127.0.0.1:<port>` */
  get url(): string {
    return this.known.url;
  }
  get port(): number {
    return this.known.port;
  }
  /** PEM of the authority that signed the serving certificate. */
  get ca(): string {
    return this.known.ca;
  }
  /** Text of a client configuration file of a user with all permissions. */
  get kubeconfig(): string {
    return this.known.kubeconfig;
  }
  /** Path of a file with that text. */
  get kubeconfigPath(): string {
    return this.known.kubeconfigPath;
  }
  /** Certificate and key of that user, PEM. */
  get admin(): ServerFacts["admin"] {
    return this.known.admin;
  }
  /** Client of @orch/client for that user, without a rate limit. It is loaded when it is first asked for. */
  get client(): Client {
    return this.clientOf(this.known.admin);
  }
  /** The users of the options, by name. */
  get users(): Readonly<Record<string, PooledIdentity>> {
    return Object.fromEntries(Object.entries(this.known.users).map(([name, user]) => [name, this.identityOf(user)]));
  }

  /** Makes a user. */
  async issueClient(user: { readonly name: string; readonly groups?: readonly string[] }): Promise<PooledIdentity> {
    return this.identityOf(await this.call("issueClient", user));
  }

  /**
   * Applies objects, and waits until definitions among them are established.
   * @returns the stored objects
   */
  async applyManifests(...manifests: readonly Manifest[]): Promise<readonly object[]> {
    return (await this.call("apply", { manifests })).objects;
  }

  /** Calls a function until it returns a value that is not false, undefined or null. An error counts as "not yet". */
  waitFor<T>(look: () => T | Promise<T>, options?: WaitOptions): Promise<NonNullable<Exclude<T, false>>> {
    return settled(look, options);
  }

  /** Returns to the objects that existed when the server became ready. */
  async reset(): Promise<void> {
    await this.call("reset", {});
  }

  /** Takes a snapshot, which is valid until the next `reset`. */
  async snapshot(): Promise<Snapshot> {
    const { id, objects } = await this.call("snapshot", {});
    const snapshot = { objects };
    this.snapshots.set(snapshot, id);
    return snapshot;
  }

  async restore(snapshot: Snapshot): Promise<void> {
    const id = this.snapshots.get(snapshot);
    if (id === undefined) throw new TypeError("snapshot: must be a result of snapshot() of the same server");
    await this.call("restore", { id });
  }

  /** Returns the last 1,000 requests, oldest first, without those of the server's own controllers. */
  async requests(): Promise<readonly RecordedRequest[]> {
    return (await this.call("requests", {})).requests;
  }

  /** Returns a text about the last requests, and prints it on the standard error output. */
  async explain(last?: number): Promise<string> {
    const text = explanation(await this.requests(), last);
    process.stderr.write(`${text}\n`);
    return text;
  }

  private get known(): ServerFacts {
    if (this.facts === undefined) throw new Error("the test server is not ready yet: use it in tests and hooks only");
    return this.facts;
  }

  private async call<Name extends keyof PoolCalls>(
    name: Name,
    input: PoolCalls[Name]["takes"],
  ): Promise<PoolCalls[Name]["gives"]> {
    if (this.place === undefined) throw new Error("the test server is not ready yet: use it in tests and hooks only");
    return (await ask(this.place, name, input)) as PoolCalls[Name]["gives"];
  }

  private identityOf(user: UserFacts): PooledIdentity {
    const client = (): Client => this.clientOf(user);
    return {
      ...user,
      get client() {
        return client();
      },
    };
  }

  private clientOf({ certificate, key }: Pick<UserFacts, "certificate" | "key">): Client {
    let client = this.clients.get(certificate);
    if (client === undefined) {
      const library = require("@orch/client") as typeof import("@orch/client");
      const connection = pairConnection(this.known, { certificate, key });
      const { vocabulary } = this.known;
      const rateLimit = { perSecond: 0, burst: 0 };
      client = new library.Client({ connection, vocabulary, program: PROGRAM, rateLimit, onWarning: () => {} });
      this.clients.set(certificate, client);
    }
    return client;
  }
}
