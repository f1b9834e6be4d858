// The command `orch`, as a person or a script runs it, against any server.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { join } from "node:path";
import type { Printed } from "./kubectl";
import { repository } from "./processes";

export const ORCH_PROGRAM = join(repository, "packages/cli/bin/orch.js");
const TIMEOUT_MS = 60_000;

export interface OrchOptions {
  /** Home directory, for configuration and caches. */
  readonly home: string;
  /** Options before the arguments of every call, such as those of a server. */
  readonly options?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface OrchCall {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Default: the home directory. */
  readonly cwd?: string;
}

export class Orch {
  constructor(readonly of: OrchOptions) {}

  /** Returns the options for a server of the harness, as its administrator. */
  static optionsFor(server: { readonly url: string; readonly authority: { readonly caFile: string } }): string[] {
    return [`--server=${server.url}`, `--certificate-authority=${server.authority.caFile}`, "--token=admin-token"];
  }

  start(args: readonly string[], { env = {}, cwd = this.of.home }: OrchCall = {}): ChildProcessWithoutNullStreams {
    const { home, options = [] } = this.of;
    return spawn(process.execPath, [ORCH_PROGRAM, ...options, ...args], {
      cwd,
      env: { HOME: home, PATH: process.env["PATH"] ?? "", ...this.of.env, ...env },
      timeout: TIMEOUT_MS,
    });
  }

  run(args: readonly string[], call: OrchCall = {}): Promise<Printed> {
    const child = this.start(args, call);
    const texts = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      texts.stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      texts.stderr += text;
    });
    child.stdin.on("error", () => {}); // the command may end before it has read its input
    child.stdin.end(call.input ?? "");
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => resolve({ ...texts, code: code ?? 1 }));
    });
  }

  /** Returns standard output. @throws Error with standard error when it fails */
  async print(args: readonly string[], call: OrchCall = {}): Promise<string> {
    const { stdout, stderr, code } = await this.run(args, call);
    if (code !== 0) throw new Error(`orch ${args.join(" ")}: ${stderr}`);
    return stdout;
  }
}
