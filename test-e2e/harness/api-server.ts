// API servers as processes, with every credential that a test may want.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Authority, type Credentials } from "./credentials";
import { eventually } from "./eventually";
import { freePort } from "./free-port";
import { ApiClient } from "./https-client";
import { type Program, repository, type Workplace } from "./processes";

const MAIN = join(repository, "packages/apiserver/dist/main.js");
const READY_TIMEOUT_MS = 30_000;

export interface ApiServerOptions {
  /** Names the log; servers of one test need different ones. */
  readonly name?: string;
  readonly store: { readonly kind: "memory" | "embedded" } | { readonly kind: "etcd"; readonly endpoints: string };
  /** More flags, after those of the harness, so that they win. */
  readonly flags?: readonly string[];
  /** How many files the process may have open. */
  readonly openFiles?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** One API server on a port of its own, which it keeps over restarts. */
export class ApiServer {
  readonly authority: Authority;
  readonly port: number;
  readonly #workplace: Workplace;
  readonly #name: string;
  readonly #args: readonly string[];
  readonly #openFiles: number | undefined;
  readonly #env: Readonly<Record<string, string>>;
  readonly #clients = new Set<ApiClient>();
  readonly admin: ApiClient;
  #program: Program | undefined;

  /** Of the program that runs now, or ran last. */
  get program(): Program {
    if (this.#program === undefined) throw new Error(`${this.#name} was never started`);
    return this.#program;
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  constructor(workplace: Workplace, options: ApiServerOptions, of: { authority: Authority; port: number }) {
    this.#workplace = workplace;
    this.authority = of.authority;
    this.port = of.port;
    this.#name = options.name ?? "apiserver";
    this.#openFiles = options.openFiles;
    this.#env = options.env ?? {};
    const serving = of.authority.issue(this.#name);
    const tokens = of.authority.tokenFile();
    const store =
      options.store.kind === "etcd" ? [`--etcd-servers=${options.store.endpoints}`] : [`--store=${options.store.kind}`];
    this.#args = [
      MAIN,
      ...store,
      `--data-dir=${workplace.folder()}`,
      "--bind-address=127.0.0.1",
      `--secure-port=${of.port}`,
      `--tls-cert-file=${serving.cert}`,
      `--tls-private-key-file=${serving.key}`,
      `--client-ca-file=${serving.ca}`,
      `--token-auth-file=${tokens.path}`,
      "--authorization-mode=RBAC",
      ...(options.flags ?? []),
    ];
    this.admin = this.client(tokens.admin);
  }

  client(credentials: Credentials): ApiClient {
    const client = new ApiClient(this.url, credentials);
    this.#clients.add(client);
    return client;
  }

  /** Starts the process without waiting. */
  launch(): Program {
    if (!existsSync(MAIN)) throw new Error(`${MAIN} is missing: run make build`);
    const own = { name: this.#name, program: process.execPath, args: this.#args, env: this.#env };
    const limited = {
      name: this.#name,
      program: "/bin/sh",
      args: ["-c", `ulimit -n ${this.#openFiles} && exec "$0" "$@"`, process.execPath, ...this.#args],
    };
    this.#program = this.#workplace.start(this.#openFiles === undefined ? own : limited);
    return this.#program;
  }

  /** Starts the process and waits until /readyz says 200. */
  async start(): Promise<void> {
    this.launch();
    await this.untilReady();
  }

  async untilReady(): Promise<void> {
    await eventually(`${this.#name} is ready`, () => this.ready(), { timeoutMs: READY_TIMEOUT_MS }).catch((error) => {
      throw new Error(`${(error as Error).message}\n${this.program.logTail}`);
    });
  }

  /** What /readyz says now; false also when nobody answers. */
  async ready(): Promise<boolean> {
    if (!this.program.running) throw new Error(`${this.#name} ended\n${this.program.logTail}`);
    try {
      return (await this.admin.get("/readyz", { timeoutMs: 3000 })).status === 200;
    } catch {
      return false;
    }
  }

  /** kill -9. */
  async kill(): Promise<void> {
    await this.program.kill();
  }

  /** SIGTERM, and waits for the end. */
  async stop(): Promise<number | NodeJS.Signals> {
    for (const client of this.#clients) client.close();
    return this.program.stop();
  }
}

/** Starts an API server and waits until it is ready. */
export async function startApiServer(
  workplace: Workplace,
  options: ApiServerOptions & { readonly authority?: Authority },
): Promise<ApiServer> {
  const authority = options.authority ?? new Authority(workplace);
  const server = new ApiServer(workplace, options, { authority, port: await freePort() });
  await server.start();
  return server;
}

/** Two servers that share one authority and one etcd. */
export async function startReplicas(
  workplace: Workplace,
  endpoints: string,
  flags: readonly string[] = [],
): Promise<[ApiServer, ApiServer]> {
  const authority = new Authority(workplace);
  const start = (name: string) =>
    startApiServer(workplace, { name, authority, store: { kind: "etcd", endpoints }, flags });
  const first = await start("apiserver-1"); // the first prepares the store
  return [first, await start("apiserver-2")];
}
