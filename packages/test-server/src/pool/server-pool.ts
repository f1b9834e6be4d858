// Servers for the workers of a test runner: one for each worker, in a thread of its own, started when it is first asked
// for. Runs in the main process of the runner.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { checkOptions } from "../options/check-options";
import type { TestServerOptions } from "../options/test-server-options";
import { type JsonEndpoint, openEndpoint } from "./json-endpoint";
import { type Place, POOL_VARIABLE } from "./pool-protocol";

/** Options of a pool. Functions cannot be given to threads, so that there are no webhooks. */
export type PoolOptions = Omit<TestServerOptions, "webhooks" | "port">;

type FromThread = { readonly place: Place } | { readonly failed: string } | { readonly stopped: true };

interface Member {
  readonly thread: Worker;
  readonly place: Promise<Place>;
}

export class ServerPool {
  private readonly members = new Map<string, Member>();
  private endpoint: JsonEndpoint | undefined;

  private constructor(private readonly options: PoolOptions) {}

  /**
   * Opens a pool, and tells the workers of this process where it is.
   * @throws TypeError for wrong options
   */
  static async open(options: PoolOptions = {}): Promise<ServerPool> {
    for (const name of ["webhooks", "port"])
      if (Object.hasOwn(options, name))
        throw new TypeError(`${name}: is no option of a pool of servers: start a server with startServer() instead`);
    checkOptions(options);
    const pool = new ServerPool(options);
    pool.endpoint = await openEndpoint((worker) => pool.placeOf(worker));
    const { url, token } = pool.endpoint;
    process.env[POOL_VARIABLE] = JSON.stringify({ url, token });
    return pool;
  }

  async close(): Promise<void> {
    delete process.env[POOL_VARIABLE];
    await this.endpoint?.close();
    await Promise.all([...this.members.values()].map(({ thread }) => ended(thread)));
    this.members.clear();
  }

  private placeOf(worker: string): Promise<Place> {
    let member = this.members.get(worker);
    if (member === undefined) {
      const thread = new Worker(threadProgram(), { workerData: this.options });
      member = { thread, place: placeFrom(thread) };
      this.members.set(worker, member);
    }
    return member.place;
  }
}

function placeFrom(thread: Worker): Promise<Place> {
  return new Promise((resolve, reject) => {
    thread.once("error", reject);
    thread.once("message", (message: FromThread) => {
      if ("place" in message) resolve(message.place);
      else reject(new Error("failed" in message ? message.failed : "the test server has stopped"));
    });
  });
}

async function ended(thread: Worker): Promise<void> {
  const stopped = new Promise<void>((resolve) => {
    thread.once("message", () => resolve());
    thread.once("exit", () => resolve());
  });
  thread.postMessage({ stop: true });
  await stopped;
  await thread.terminate();
}

/** Returns the compiled program, also when this file runs from sources. */
function threadProgram(): string {
  const beside = join(__dirname, "pool-thread.js");
  return existsSync(beside) ? beside : join(__dirname, "../../dist/pool/pool-thread.js");
}
