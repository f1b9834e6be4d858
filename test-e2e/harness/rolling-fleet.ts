// API servers on one etcd that are replaced one after the other by servers of another release, and a client that uses
// them in turn.
import { type ApiServer, newApiServer } from "./api-server";
import type { Authority } from "./credentials";
import { sleep } from "./eventually";
import { type Answer, ApiClient, type SendOptions } from "./https-client";
import type { Workplace } from "./processes";
import type { Watch } from "./watch-reader";

/** A request as a server of one release receives it; undefined when the release does not serve the version. */
export type ByRelease<Value> = (release: string) => Value | undefined;

export interface Sent {
  readonly answer: Answer;
  /** An earlier attempt got no answer, and may have had an effect. */
  readonly retried: boolean;
}

interface Replica {
  readonly name: string;
  server: ApiServer;
  client: ApiClient;
  release: string;
  /** Clients use it: it is ready, and has not ended. */
  used: boolean;
  stopping: boolean;
  /** Number of times that its shutdown began. */
  stops: number;
}

export interface FleetOptions {
  readonly authority: Authority;
  readonly endpoints: string;
  readonly flags: readonly string[];
}

export class RollingFleet {
  private readonly workplace: Workplace;
  private readonly options: FleetOptions;
  private readonly replicas: Replica[] = [];
  private turn = 0;
  private closed = false;

  constructor(workplace: Workplace, options: FleetOptions) {
    this.workplace = workplace;
    this.options = options;
  }

  get releases(): readonly string[] {
    return this.replicas.map(({ release }) => release);
  }

  async add(name: string, release: string): Promise<void> {
    const server = await this.start(name, release);
    this.replicas.push({ name, server, client: this.client(server), release, used: true, stopping: false, stops: 0 });
  }

  /** Stops a server gracefully while clients use it, and starts one of another release in its place. */
  async replace(index: number, release: string): Promise<void> {
    const replica = this.replicas[index];
    if (replica === undefined) throw new Error(`no replica ${index}`);
    replica.stops += 1;
    replica.stopping = true;
    const ended = await replica.server.stop();
    replica.used = false;
    replica.stopping = false;
    replica.client.close();
    if (ended !== 0) throw new Error(`${replica.name} ended with ${ended}\n${replica.server.program.logTail}`);
    replica.server = await this.start(`${replica.name}-${replica.stops}`, release);
    replica.client = this.client(replica.server);
    replica.release = release;
    replica.used = true;
  }

  /** Sends a request to a server that serves it, and to another one when a server that stops does not answer. */
  async send(request: ByRelease<{ readonly path: string; readonly options?: SendOptions }>): Promise<Sent> {
    let retried = false;
    for (;;) {
      const [replica, { path, options = {} }] = await this.next(request);
      const { client, stops, stopping } = replica;
      const mayEnd = () => stopping || replica.stops > stops;
      try {
        return { answer: await client.send(path, options), retried };
      } catch (error) {
        if (!isLoss(error) || !mayEnd()) throw new Error(`${replica.name} of ${replica.release}: ${error}`);
        retried = true;
      }
    }
  }

  /** Opens a watch at a server that serves it. */
  async watch(path: ByRelease<string>): Promise<Watch> {
    for (;;) {
      const [replica, request] = await this.next(path);
      const { client, stops, stopping } = replica;
      const mayEnd = () => stopping || replica.stops > stops;
      try {
        return await client.watch(request);
      } catch (error) {
        if (!isLoss(error) || !mayEnd()) throw new Error(`${replica.name} of ${replica.release}: ${error}`);
      }
    }
  }

  /** Ends the wait of requests that no server serves. */
  close(): void {
    this.closed = true;
    for (const { client } of this.replicas) client.close();
  }

  private async next<Value>(request: ByRelease<Value>): Promise<[Replica, Value]> {
    for (;;) {
      for (let tried = 0; tried < this.replicas.length; tried += 1) {
        this.turn += 1;
        const replica = this.replicas[this.turn % this.replicas.length] as Replica;
        const value = replica.used ? request(replica.release) : undefined;
        if (value !== undefined) return [replica, value];
      }
      if (this.closed) throw new Error("the fleet has ended");
      await sleep(20);
    }
  }

  private async start(name: string, release: string): Promise<ApiServer> {
    const { authority, endpoints, flags } = this.options;
    const server = await newApiServer(this.workplace, {
      name: `${name}-of-${release}`,
      authority,
      store: { kind: "etcd", endpoints },
      flags: [...flags, `--emulated-release=${release}`],
    });
    await server.start();
    return server;
  }

  private client(server: ApiServer): ApiClient {
    return new ApiClient(server.url, server.admin.credentials);
  }
}

/** Whether a connection was lost: an error of the network, and not an answer. */
const isLoss = (error: unknown): boolean => typeof (error as NodeJS.ErrnoException).code === "string";
