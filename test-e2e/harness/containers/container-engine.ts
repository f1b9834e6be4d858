// `docker` for tests of images and containers, from scripts/container-engine.mjs.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "@jest/globals";
import { describeWhere, type Offered } from "../describe-where";
import { repository } from "../processes";

const SCRIPT = join(repository, "scripts/container-engine.mjs");
/** The first start downloads packages and makes base images. */
const JOIN_TIMEOUT_MS = 1_500_000;
const OUTPUT_CHARACTERS = 6000;

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export class ContainerEngine {
  private readonly env: NodeJS.ProcessEnv;
  private readonly running = new Set<ChildProcess>();

  private constructor(variables: Readonly<Record<string, string>>) {
    this.env = { ...process.env, ...variables };
  }

  /** Joins the engine for the time of this process. */
  static join(images: readonly string[]): Offered<ContainerEngine> {
    const words = [SCRIPT, `--join=${process.pid}`, ...images.map((name) => `--image=${name}`)];
    const { status, stdout, stderr } = spawnSync(process.execPath, words, {
      encoding: "utf8",
      timeout: JOIN_TIMEOUT_MS,
    });
    if (status === 0) return new ContainerEngine(JSON.parse(stdout) as Record<string, string>);
    return { reason: stderr.trim() || `${SCRIPT} ended with ${status}` };
  }

  leave(): void {
    for (const child of this.running) child.kill("SIGKILL");
    spawnSync(process.execPath, [SCRIPT, `--leave=${process.pid}`], { stdio: "inherit" });
  }

  /** Runs `docker` to its end. @throws Error when it fails */
  async docker(words: readonly string[], options: RunOptions = {}): Promise<string> {
    const { code, stdout, stderr } = await this.run(words, options);
    if (code !== 0) {
      throw new Error(
        `docker ${words.join(" ")} ended with ${code}:\n${`${stdout}\n${stderr}`.slice(-OUTPUT_CHARACTERS)}`,
      );
    }
    return stdout.trim();
  }

  /** Runs `docker` to its end, also to a bad one. */
  run(words: readonly string[], { cwd = repository, env = {} }: RunOptions = {}): Promise<Ended> {
    return new Promise((resolve, reject) => {
      const child = spawn("docker", words, { cwd, env: { ...this.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
      this.running.add(child);
      const [stdout, stderr]: [string[], string[]] = [[], []];
      child.stdout.setEncoding("utf8").on("data", (text: string) => stdout.push(text));
      child.stderr.setEncoding("utf8").on("data", (text: string) => stderr.push(text));
      child.once("error", reject);
      child.once("close", (code) => {
        this.running.delete(child);
        resolve({ code: code ?? 1, stdout: stdout.join(""), stderr: stderr.join("") });
      });
    });
  }
}

/** Describes tests with an engine for the time of the test file. They are skipped with the reason where there is none. */
export function describeWithEngine(
  title: string,
  images: readonly string[],
  define: (engine: ContainerEngine) => void,
): void {
  const engine = ContainerEngine.join(images);
  if (engine instanceof ContainerEngine) afterAll(() => engine.leave(), 120_000);
  describeWhere(engine, title, define);
}

/** Build secrets with the configuration of npm on this machine. */
export class NpmSecrets {
  private readonly folder = mkdtempSync(join(tmpdir(), "orch-npm-"));
  readonly files: Readonly<Record<string, string>>;
  /** Registry of the configuration. */
  readonly registry = npmSetting("registry");

  constructor() {
    const authorities = npmSetting("cafile");
    const npmrc = join(this.folder, "npmrc");
    const lines = [`registry=${this.registry}`, ...(authorities === "" ? [] : ["cafile=/run/secrets/ca"])];
    writeFileSync(npmrc, `${lines.join("\n")}\n`, { mode: 0o600 });
    this.files = { npmrc, ...(authorities === "" ? {} : { ca: authorities }) };
  }

  /** Options of `docker build`. */
  get options(): readonly string[] {
    return Object.entries(this.files).map(([id, path]) => `--secret=id=${id},src=${path}`);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function npmSetting(name: string): string {
  const text = spawnSync("npm", ["config", "get", name], { encoding: "utf8" }).stdout.trim();
  return text === "null" || text === "undefined" ? "" : text;
}
