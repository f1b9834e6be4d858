// The command-line client of the Kubernetes ecosystem, for a server that speaks that vocabulary.
import { type ChildProcessWithoutNullStreams, execFile, spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { type ApiServer, type ApiServerOptions, startApiServer } from "./api-server";
import type { Authority } from "./credentials";
import { repository, tool, type Workplace } from "./processes";

const TIMEOUT_MS = 60_000;
const PRINTED_MAX_BYTES = 64 << 20;

/** Beside Debian's, of whatever release: those that `TEST_KUBECTL` names, and none that merely happens to be on the machine. */
export const MORE_CLIENTS: readonly string[] = [
  ...new Set((process.env["TEST_KUBECTL"] ?? "").split(delimiter).filter((file) => file !== "")),
];

export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

export interface KubectlOptions {
  /** Before the arguments of every call. */
  readonly options?: readonly string[];
  /** Default: Debian's. */
  readonly program?: string;
}

export class Kubectl {
  /** Its home; also for a test's own files. */
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

  /** Another client, which looks for itself what the server serves. */
  of(program: string): Kubectl {
    return new Kubectl(this.server, this.folder, { options: this.options, program });
  }

  /** @param env beside its home and the path */
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

  /** What it prints. @throws Error with what it complained about, when it fails */
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
      // It works in the repository: a comma in the path of that would be the end of a file's name to it.
      ...args.map((word) => word.replaceAll(`${repository}/`, "")),
    ];
  }

  private environment(more: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    return { HOME: this.folder, PATH: process.env["PATH"] ?? "", ...more };
  }
}

/** A server of that vocabulary, with its objects in memory, and the client of its administrator. */
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
    flags: ["--vocabulary=kubernetes", ...flags],
    ...of,
  });
  return { server, client: new Kubectl(server, workplace.folder(), { options }) };
}
