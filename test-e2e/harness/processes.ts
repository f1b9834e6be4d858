// Real programs during a test file: each writes a log under .build/e2e, and all are stopped at the end.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { afterAll, expect } from "@jest/globals";

export const repository = resolve(__dirname, "../..");
const STOP_TIMEOUT_MS = 20_000;
const LOG_TAIL_CHARACTERS = 20_000;

export interface ProgramOptions {
  /** Names the log file. */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The program starts processes of its own: signals go to the process group. */
  readonly group?: boolean;
  /** Files, devices or pipes instead of the log. */
  readonly output?: Output;
}

export interface Output {
  readonly stdout?: string;
  readonly stderr?: string;
}

/** A started program. */
export class Program {
  private readonly child: ChildProcess;
  private readonly group: boolean;
  private readonly end: Promise<number | NodeJS.Signals>;
  readonly logFile: string;

  constructor(options: ProgramOptions, logFile: string) {
    this.logFile = logFile;
    this.group = options.group ?? false;
    const { stdout = logFile, stderr = logFile } = options.output ?? {};
    this.child = spawn(options.program, options.args, {
      stdio: ["ignore", openSync(stdout, "a"), openSync(stderr, "a")],
      cwd: options.cwd ?? repository,
      detached: this.group, // a process group of its own
      env: { ...process.env, ...options.env },
    });
    this.end = new Promise((resolve, reject) => {
      this.child.once("error", reject);
      this.child.once("exit", (code, signal) => resolve(signal ?? code ?? 1));
    });
    this.end.catch(() => undefined); // callers that await the end get the error; others must not fail with an unhandled rejection
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error(`${this.logFile}: the program did not start`);
    return this.child.pid;
  }

  get running(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null && this.child.pid !== undefined;
  }

  /** The exit code, or the signal that ended it. */
  get ended(): Promise<number | NodeJS.Signals> {
    return this.end;
  }

  /** The end of its output, for error messages. */
  get logTail(): string {
    return readFileSync(this.logFile, "utf8").slice(-LOG_TAIL_CHARACTERS);
  }

  /** Its whole output. */
  logText(): string {
    return readFileSync(this.logFile, "utf8");
  }

  /** Resident memory. */
  residentMebibytes(): number {
    const status = readFileSync(`/proc/${this.pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
  }

  signal(signal: NodeJS.Signals): void {
    if (!this.group) this.child.kill(signal);
    else if (this.child.pid !== undefined) process.kill(-this.child.pid, signal);
  }

  /** Sends SIGKILL and waits until the process is gone. */
  async kill(): Promise<void> {
    if (this.running) this.signal("SIGKILL");
    await this.end.catch(() => undefined);
  }

  /** Sends SIGTERM and waits for the exit. @throws Error when it does not exit in 20 s, after killing it */
  async stop(): Promise<number | NodeJS.Signals> {
    if (this.running) this.signal("SIGTERM");
    let late = false;
    const killer = setTimeout(() => {
      late = true;
      this.signal("SIGKILL");
    }, STOP_TIMEOUT_MS);
    const end = await this.end;
    clearTimeout(killer);
    if (late) throw new Error(`${this.logFile}: did not end ${STOP_TIMEOUT_MS / 1000} s after SIGTERM`);
    return end;
  }
}

/** All processes and files of one test file. */
export class Workplace {
  private readonly programs = new Set<Program>();
  private readonly logs: string;
  private readonly folders: string[] = [];
  private readonly steps: (() => void)[] = [];

  /** @param name of the folder of its logs, in .build/e2e */
  constructor(readonly name: string) {
    this.logs = join(repository, ".build/e2e", name);
    rmSync(this.logs, { recursive: true, force: true });
    mkdirSync(this.logs, { recursive: true });
    process.once("exit", () => this.killAll());
  }

  start(options: ProgramOptions): Program {
    const program = new Program(options, join(this.logs, `${options.name}.log`));
    this.programs.add(program);
    return program;
  }

  /** Returns a new empty directory, removed at the end. */
  folder(): string {
    const folder = mkdtempSync(join(tmpdir(), "orch-e2e-"));
    this.folders.push(folder);
    return folder;
  }

  /** Adds a step that ends what is not a program of its own; it runs once, also when the tests are interrupted. */
  atEnd(step: () => void): void {
    this.steps.push(step);
  }

  async end(): Promise<void> {
    this.killAll();
    await Promise.all([...this.programs].map((program) => program.ended.catch(() => undefined)));
    for (const folder of this.folders) rmSync(folder, { recursive: true, force: true });
  }

  private killAll(): void {
    for (const step of this.steps.splice(0)) step();
    for (const program of this.programs) {
      if (!program.running) continue;
      program.signal("SIGCONT"); // one that a test froze
      program.signal("SIGKILL");
    }
  }
}

/** Returns the workplace of this test file; its processes are killed after the last test. Call it once, at the top. */
export function useWorkplace(): Workplace {
  const workplace = new Workplace(basename(expect.getState().testPath ?? "unknown", ".test.ts"));
  afterAll(() => workplace.end());
  return workplace;
}

/** Returns a program from Debian's packages or PATH, as installed by scripts/install-tools.mjs. */
export function tool(
  name:
    | "etcd"
    | "etcdctl"
    | "haproxy"
    | "keepalived"
    | "nft"
    | "kubectl"
    | "chromium"
    | "python3-kubernetes"
    | "faketime"
    | "fish"
    | "tmux"
    | "zsh",
): string {
  const path = join(repository, ".tools/bin", name);
  if (!existsSync(path)) throw new Error(`${name} is missing: run scripts/install-tools.mjs ${name}`);
  return path;
}
