// kubectl, for a server that speaks the Kubernetes vocabulary.
import { type ChildProcessWithoutNullStreams, execFile, spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { type ApiServer, type ApiServerOptions, startApiServer } from "./api-server";
import type { Authority } from "./credentials";
import { repository, tool, type Workplace } from "./processes";

const TIMEOUT_MS = 60_000;
/** Release that Debian's kubectl works with: it requests versions that later releases do not serve. */
const CLIENT_RELEASE = "1.23";
const PRINTED_MAX_BYTES = 64 << 20;

/** Further kubectl programs, of any release, from `TEST_KUBECTL`. Programs that happen to be installed are not used. */
export const MORE_CLIENTS: readonly string[] = [
  ...new Set((process.env["TEST_KUBECTL"] ?? "").split(delimiter).filter((file) => file !== "")),
];

export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

export interface KubectlOptions {
  /** Options before the arguments of every call. */
  readonly options?: readonly string[];
  /** Default: Debian's. */
  readonly program?: string;
}

export class Kubectl {
  /** Its home directory; also for a test's own files. */
  readonly folder: string;
  private readonly server: ApiServer;
  private readonly program: string;
  private readonly options: readonly string[];

  constructor(server: ApiServer, folder: string, { options = [], program = tool("kubectl") }: KubectlOptions = {}) {
    this.server = server;
    this.folder = folder;
    this.program = program;
    this.options = options;
  }

  /** Returns another client with a discovery cache of its own. */
  of(program: string): Kubectl {
    return new Kubectl(this.server, this.folder, { options: this.options, program });
  }

  /** @param env in addition to its home and the path */
  start(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcessWithoutNullStreams {
    return spawn(this.program, this.all(args), { cwd: repository, env: this.environment(env), timeout: TIMEOUT_MS });
  }

  async run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Printed> {
    const how = { cwd: repository, timeout: TIMEOUT_MS, maxBuffer: PRINTED_MAX_BYTES, env: this.environment(env) };
    try {
      return { ...(await promisify(execFile)(this.program, this.all(args), how)), code: 0 };
    } catch (error) {
      return error as Printed;
    }
  }

  /** Returns standard output. @throws Error with standard error when it fails */
  async print(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
    const { stdout, stderr, code } = await this.run(args, env);
    if (code !== 0) throw new Error(`kubectl ${args.join(" ")}: ${stderr}`);
    return stdout;
  }

  private all(args: readonly string[]): readonly string[] {
    return [
      `--server=${this.server.url}`,
      `--certificate-authority=${this.server.authority.caFile}`,
      "--token=admin-token",
      `--cache-dir=${join(this.folder, "cache", this.program)}`,
      ...this.options,
      // Paths are relative to the repository, because kubectl splits file names at commas.
      ...args.map((word) => word.replaceAll(`${repository}/`, "")),
    ];
  }

  private environment(more: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    return { HOME: this.folder, PATH: process.env["PATH"] ?? "", ...more };
  }
}

/** Starts a server of that vocabulary with an in-memory store, and a kubectl of its administrator. */
export async function startWithKubectl(
  workplace: Workplace,
  {
    options = [],
    flags = [],
    ...of
  }: Partial<Omit<ApiServerOptions, "store">> & {
    readonly options?: readonly string[];
    readonly authority?: Authority;
  } = {},
): Promise<{ readonly server: ApiServer; readonly client: Kubectl }> {
  const server = await startApiServer(workplace, {
    store: { kind: "memory" },
    flags: ["--vocabulary=kubernetes", `--emulated-release=${CLIENT_RELEASE}`, ...flags],
    ...of,
  });
  return { server, client: new Kubectl(server, workplace.folder(), { options }) };
}
