// Real programs for the length of a test file: each writes one log under .build/e2e, and none outlives the file.
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
  /** It starts processes of its own: signals go to all of them. */
  readonly group?: boolean;
  /** Files, devices or pipes in the place of the log. */
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
    this.end.catch(() => undefined); // who waits sees it; who does not must not be stopped by it
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

  /** The last of what it wrote, for error messages. */
  get logTail(): string {
    return readFileSync(this.logFile, "utf8").slice(-LOG_TAIL_CHARACTERS);
  }

  /** All of what it wrote. */
  logText(): string {
    return readFileSync(this.logFile, "utf8");
  }

  /** Memory that is in RAM now. */
  residentMebibytes(): number {
    const status = readFileSync(`/proc/${this.pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
  }

  signal(signal: NodeJS.Signals): void {
    if (!this.group) this.child.kill(signal);
    else if (this.child.pid !== undefined) process.kill(-this.child.pid, signal);
  }

  /** kill -9, and waits until the process is gone. */
  async kill(): Promise<void> {
    if (this.running) this.signal("SIGKILL");
    await this.end.catch(() => undefined);
  }

  /** SIGTERM, and waits for the end. @throws Error when it does not end in 20 s, after killing it */
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

/** Everything that one test file starts and writes. */
export class Workplace {
  private readonly programs = new Set<Program>();
  private readonly logs: string;
  private readonly folders: string[] = [];

  constructor(name: string) {
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

  /** A new empty folder, removed at the end. */
  folder(): string {
    const folder = mkdtempSync(join(tmpdir(), "orch-e2e-"));
    this.folders.push(folder);
    return folder;
  }

  async end(): Promise<void> {
    this.killAll();
    await Promise.all([...this.programs].map((program) => program.ended.catch(() => undefined)));
    for (const folder of this.folders) rmSync(folder, { recursive: true, force: true });
  }

  private killAll(): void {
    for (const program of this.programs) {
      if (!program.running) continue;
      program.signal("SIGCONT"); // one that a test froze
      program.signal("SIGKILL");
    }
  }
}

/** The workplace of this test file; what runs in it is killed after the last test. Call it once, at the top. */
export function useWorkplace(): Workplace {
  const workplace = new Workplace(basename(expect.getState().testPath ?? "unknown", ".test.ts"));
  afterAll(() => workplace.end());
  return workplace;
}

/** A program from Debian's packages or PATH, as scripts/install-tools.mjs left it. */
export function tool(name: "etcd" | "haproxy" | "kubectl" | "chromium" | "python3-kubernetes" | "faketime"): string {
  const path = join(repository, ".tools/bin", name);
  if (!existsSync(path)) throw new Error(`${name} is missing: run scripts/install-tools.mjs ${name}`);
  return path;
}
