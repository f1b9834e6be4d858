// The load of a lab: a program on a machine of its own that writes, reads and watches through the address of the cluster.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Machine } from "./lab";

/** Observations of the clients during a scenario. */
export interface Observed {
  readonly seconds: number;
  readonly requests: number;
  readonly failures: number;
  readonly reasons: Readonly<Record<string, number>>;
  /** The first failures, with their times. */
  readonly first: readonly string[];
  readonly staleReads: number;
  /** Longest time without a write, or a read, that succeeded. */
  readonly writeGapMs: number;
  readonly readGapMs: number;
  /** How often a watch was opened again. */
  readonly resumed: number;
  /** How often a watcher had to list again. */
  readonly listed: number;
}

export interface Checked {
  readonly acknowledged: number;
  readonly lost: readonly string[];
  readonly unseen: readonly string[];
  readonly disorder: readonly string[];
}

export class Load {
  private readonly waiting: { readonly resolve: (line: string) => void; readonly reject: (error: Error) => void }[] =
    [];

  private constructor(private readonly child: ChildProcessWithoutNullStreams) {
    createInterface({ input: child.stdout }).on("line", (line) => this.waiting.shift()?.resolve(line));
    child.once("exit", (code) => {
      for (const { reject } of this.waiting.splice(0)) reject(new Error(`the load ended with ${code}`));
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => process.stderr.write(text));
  }

  /** @param credentials file of the machine */
  static start(machine: Machine, url: string, credentials: string): Load {
    const [program = "", ...args] = machine.command([process.execPath, "/lab/load-program.mjs", url, credentials]);
    return new Load(spawn(program, args, { stdio: "pipe" }));
  }

  begin(): Promise<unknown> {
    return this.ask("begin");
  }

  async end(): Promise<Observed> {
    return (await this.ask("end")) as Observed;
  }

  async check(): Promise<Checked> {
    return (await this.ask("check")) as Checked;
  }

  stop(): void {
    this.child.kill("SIGKILL");
  }

  private async ask(what: string): Promise<unknown> {
    const line = await new Promise<string>((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      this.child.stdin.write(`${what}\n`);
    });
    return JSON.parse(line);
  }
}
