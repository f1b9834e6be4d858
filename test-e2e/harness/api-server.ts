// API servers as processes, with credentials for tests.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Authority, type Credentials } from "./credentials";
import { eventually } from "./eventually";
import { freePort } from "./free-port";
import { ApiClient } from "./https-client";
import type { MachineDate } from "./machine-date";
import { type Output, type Program, repository, type Workplace } from "./processes";

const MAIN = join(repository, "packages/apiserver-program/dist/main.js");
const READY_TIMEOUT_MS = 30_000;
/**
 * Additional flags for all servers on etcd, such as `--workers=2` or `--etcd-transport=grpc-js`, to run the same tests in
 * another configuration.
 */
const FLAGS_ON_ETCD = (process.env["TEST_SERVER_FLAGS"] ?? "").split(" ").filter((flag) => flag !== "");

export interface ApiServerOptions {
  /** Names the log; servers of one test need different ones. */
  readonly name?: string;
  readonly store: { readonly kind: "memory" | "embedded" } | { readonly kind: "etcd"; readonly endpoints: string };
  /** Flags after those of the harness, so that they take precedence. */
  readonly flags?: readonly string[];
  /** Default: a new directory. */
  readonly dataDir?: string;
  readonly limits?: Limits;
  readonly env?: Readonly<Record<string, string>>;
  readonly output?: Output;
  /** Default: the system clock. */
  readonly date?: MachineDate;
}

/** Resource limits of a process. */
export interface Limits {
  /** Maximum file size, which simulates a full disk. */
  readonly fileKib?: number;
  /** Maximum number of open files. */
  readonly openFiles?: number;
}

/** One API server on a port of its own, which it keeps over restarts. */
export class ApiServer {
  readonly authority: Authority;
  readonly port: number;
  readonly dataDir: string;
  private readonly workplace: Workplace;
  private readonly name: string;
  private readonly args: readonly string[];
  private readonly limits: Limits;
  private readonly env: Readonly<Record<string, string>>;
  private readonly output: Output;
  private readonly date: MachineDate | undefined;
  private readonly clients = new Set<ApiClient>();
  readonly admin: ApiClient;
  private started: Program | undefined;

  /** The program that runs now, or ran last. */
  get program(): Program {
    if (this.started === undefined) throw new Error(`${this.name} was never started`);
    return this.started;
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  constructor(workplace: Workplace, options: ApiServerOptions, of: { authority: Authority; port: number }) {
    this.workplace = workplace;
    this.authority = of.authority;
    this.port = of.port;
    this.name = options.name ?? "apiserver";
    this.dataDir = options.dataDir ?? workplace.folder();
    this.limits = options.limits ?? {};
    this.env = { ...options.env, ...options.date?.env };
    this.date = options.date;
    this.output = options.output ?? {};
    const serving = of.authority.issue(this.name);
    const tokens = of.authority.tokenFile();
    const store =
      options.store.kind === "etcd" ? [`--etcd-servers=${options.store.endpoints}`] : [`--store=${options.store.kind}`];
    this.args = [
      MAIN,
      ...store,
      `--data-dir=${this.dataDir}`,
      "--bind-address=127.0.0.1",
      // Tests must not depend on whether the machine has an outer address to publish.
      "--endpoint-reconciler-type=none",
      `--secure-port=${of.port}`,
      `--tls-cert-file=${serving.cert}`,
      `--tls-private-key-file=${serving.key}`,
      `--client-ca-file=${serving.ca}`,
      `--token-auth-file=${tokens.path}`,
      ...(saysItself(options.flags) ? [] : ["--authorization-mode=RBAC"]),
      ...(wantsAccounts(options.flags) ? [] : ["--disable-admission-plugins=ServiceAccount"]),
      ...(options.flags ?? []),
      ...(options.store.kind === "etcd" ? FLAGS_ON_ETCD : []),
    ];
    this.admin = this.client(tokens.admin);
  }

  client(credentials: Credentials): ApiClient {
    const client = new ApiClient(this.url, credentials);
    this.clients.add(client);
    return client;
  }

  /** Starts the process without waiting. */
  launch({ fileKib, openFiles }: Limits = this.limits): Program {
    if (!existsSync(MAIN)) throw new Error(`${MAIN} is missing: run make build`);
    const limits = Object.entries({ "-f": fileKib, "-n": openFiles }).filter(([, most]) => most !== undefined);
    const set = limits.map(([flag, most]) => `ulimit ${flag} ${most} && `).join("");
    const words = [...(this.date === undefined ? [] : [this.date.command]), process.execPath, ...this.args];
    const [program = "", ...args] = set === "" ? words : ["bash", "-c", `${set}exec "$@"`, "-", ...words];
    const command = { program, args };
    this.started = this.workplace.start({ name: this.name, env: this.env, output: this.output, ...command });
    return this.started;
  }

  /** Starts the process and waits until /readyz answers 200. */
  async start(): Promise<void> {
    this.launch();
    await this.untilReady();
  }

  async untilReady(): Promise<void> {
    await eventually(`${this.name} is ready`, () => this.ready(), { timeoutMs: READY_TIMEOUT_MS }).catch((error) => {
      throw new Error(`${(error as Error).message}\n${this.program.logTail}`);
    });
  }

  /** Whether /readyz answers 200 now; false also without an answer. */
  async ready(): Promise<boolean> {
    if (!this.program.running) throw new Error(`${this.name} ended\n${this.program.logTail}`);
    try {
      return (await this.admin.get("/readyz", { timeoutMs: 3000 })).status === 200;
    } catch {
      return false;
    }
  }

  /** Sends SIGKILL. */
  async kill(): Promise<void> {
    await this.program.kill();
  }

  /** Sends SIGTERM and waits for the exit. */
  async stop(): Promise<number | NodeJS.Signals> {
    for (const client of this.clients) client.close();
    return this.program.stop();
  }
}

/** Whether the flags name an authorization configuration file. */
const saysItself = (flags: readonly string[] = []): boolean =>
  flags.some((flag) => flag.startsWith("--authorization-config="));

/**
 * Whether the flags enable the ServiceAccount plugin. Pods then need service accounts, which only a controller manager
 * creates; most tests run none.
 */
const wantsAccounts = (flags: readonly string[] = []): boolean =>
  flags.some((flag) => /^--enable-admission-plugins=.*\bServiceAccount\b/.test(flag));

type StartOptions = ApiServerOptions & { readonly authority?: Authority };

/** Starts an API server and waits until it is ready. */
export async function startApiServer(workplace: Workplace, options: StartOptions): Promise<ApiServer> {
  const server = await newApiServer(workplace, options);
  await server.start();
  return server;
}

/** Returns a server that is not started yet. */
export async function newApiServer(workplace: Workplace, options: StartOptions): Promise<ApiServer> {
  const authority = options.authority ?? new Authority(workplace);
  return new ApiServer(workplace, options, { authority, port: await freePort() });
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
