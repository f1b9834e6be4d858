// `orch up`: an API server with all controllers in one process, in the foreground or in the background.
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { makeFolder } from "@orch/platform";
import type { VocabularyName } from "@orch/schema";
import type { Command } from "commander";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";
import { DEFAULT_FLAGS } from "./default-flags";
import { isAlive, LOG_NAME, type RunRecord, runningIn } from "./run-record";
import { runUp, UP_PROCESS, type UpPlan } from "./run-up";

interface Options {
  readonly kubernetes?: boolean;
  readonly memory?: boolean;
  readonly port?: string;
  readonly dataDir?: string;
  readonly detach?: boolean;
  readonly writeContext: boolean;
}

const LOOK_MS = 100;
const LOG_TAIL_LINES = 5;

export function define(command: Command, session: Session): void {
  command
    .usage("[options] [flags of the server and of the controllers]")
    .option("--kubernetes", "serve the API with the names of Kubernetes, for kubectl and other clients of it")
    .option("--memory", "keep objects in memory only; they are lost when the server stops")
    .option("--port <number>", "port on 127.0.0.1 (default: 6443)")
    .option("--data-dir <folder>", dataDirText)
    .option("-d, --detach", "run in the background; orch down stops it")
    .option("--no-write-context", "do not add a context to the client configuration")
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText(
      "after",
      `
Further flags are those of orch apiserver and orch controller-manager.

Examples:
  orch up                                      run a server until Ctrl-C
  orch up -d --kubernetes && kubectl get ns    run one for kubectl, in the background
  orch up --memory --port=7443 --v=2           with further flags`,
    );
  command.action(async (options: Options) => {
    const { plan, flags } = planOf(options, session, command.args);
    if (options.detach === true) return startBehind(plan, flags, session);
    const running = runUp(plan, flags);
    if (running !== undefined) {
      throw new CliError(`a server runs already in ${shown(plan.dataDir)} (process ${running.pid}): ${remedy(plan)}`);
    }
    // The server ends the process.
    await new Promise<never>(() => {});
  });
}

export const dataDirText = "data directory (default: .orch, or .orch/kubernetes with --kubernetes)";

/** Returns the data directory that options name. */
export function dataDirOf({ kubernetes, dataDir }: Pick<Options, "kubernetes" | "dataDir">): string {
  return resolve(dataDir ?? (kubernetes === true ? ".orch/kubernetes" : ".orch"));
}

function planOf(options: Options, { options: general }: Session, more: readonly string[]) {
  if (options.kubernetes === true && general.vocabulary === "orch") {
    throw new CliError("--kubernetes and --vocabulary=orch contradict each other: give one of them");
  }
  const stray = more[0];
  if (stray !== undefined && !stray.startsWith("-")) {
    throw new CliError(`unexpected argument ${JSON.stringify(stray)}: orch up takes only options`);
  }
  const vocabulary: VocabularyName = options.kubernetes === true ? "kubernetes" : (general.vocabulary ?? "orch");
  const dataDir = dataDirOf({ ...options, kubernetes: vocabulary === "kubernetes" });
  const { kubeconfig, requestTimeout, verbosity } = general;
  const flags = [
    ...DEFAULT_FLAGS,
    `--vocabulary=${vocabulary}`,
    `--data-dir=${shown(dataDir)}`,
    ...(options.memory === true ? ["--store=memory"] : []),
    ...(options.port === undefined ? [] : [`--secure-port=${options.port}`]),
    // Options of all commands that the server has as well.
    ...(requestTimeout === undefined ? [] : [`--request-timeout=${requestTimeout}`]),
    ...(verbosity === undefined ? [] : [`--v=${verbosity}`]),
    ...more,
  ];
  const file = kubeconfig === undefined ? {} : { file: resolve(kubeconfig) };
  const plan: UpPlan = { vocabulary, dataDir, writesContext: options.writeContext, ...file };
  return { plan, flags };
}

/** Returns a path as the user would write it here. */
function shown(path: string): string {
  const short = relative(process.cwd(), path);
  return short === "" ? "." : short.startsWith("..") ? path : short;
}

const remedy = ({ dataDir }: UpPlan): string =>
  `stop it with orch down --data-dir=${shown(dataDir)}, or choose another --data-dir and --port`;

/** Starts a server in the background, and waits until it is ready. */
async function startBehind(plan: UpPlan, flags: readonly string[], session: Session): Promise<void> {
  const { dataDir } = plan;
  const running = runningIn(dataDir);
  if (running !== undefined) {
    session.write(`A server runs already in ${shown(dataDir)} (process ${running.pid}).\n`);
    const ready = await untilReady(dataDir, running);
    if (ready === undefined) throw new CliError(`the server in ${shown(dataDir)} ended before it was ready`);
    session.write(textOf(ready, plan));
    return;
  }
  makeFolder(dataDir, 0o700);
  const logFile = join(dataDir, LOG_NAME);
  const log = openSync(logFile, "w", 0o600);
  const words = [...process.execArgv, process.argv[1] ?? "", UP_PROCESS, JSON.stringify(plan), ...flags];
  const child = spawn(process.execPath, words, { detached: true, stdio: ["ignore", log, log] });
  closeSync(log);
  const record = await untilRecorded(dataDir, child);
  const ready = record && (await untilReady(dataDir, record, session.signal));
  if (ready === undefined) {
    const code = await new Promise<number>((done) => {
      if (child.exitCode !== null) done(child.exitCode);
      else child.once("exit", (exit) => done(exit ?? 1));
    });
    throw new CliError(`the server ended: ${reasonIn(logFile)} (log: ${shown(logFile)})`, code || 1);
  }
  child.unref();
  session.write(textOf(ready, plan));
}

/** @returns undefined when the process ended before it had claimed its directory */
async function untilRecorded(dataDir: string, child: ChildProcess): Promise<RunRecord | undefined> {
  for (;;) {
    const record = runningIn(dataDir);
    if (record !== undefined) return record;
    if (child.exitCode !== null || child.signalCode !== null) return undefined;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** @returns undefined when the process ended before it was ready */
async function untilReady(dataDir: string, { pid }: RunRecord, signal?: AbortSignal): Promise<RunRecord | undefined> {
  for (;;) {
    signal?.throwIfAborted();
    const record = runningIn(dataDir);
    if (record === undefined || record.pid !== pid || !isAlive(record)) return undefined;
    if (record.ready !== undefined) return record;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

function textOf({ pid, ready }: RunRecord, { dataDir }: UpPlan): string {
  const { url = "", notes = [], tries = [] } = ready ?? {};
  const log = `Process ${pid}, which orch down --data-dir=${shown(dataDir)} stops. Log: ${shown(join(dataDir, LOG_NAME))}`;
  const lines = [`Serving on ${url}`, ...notes, log, ...(tries.length > 0 ? ["", "Try:"] : [])];
  return `${[...lines, ...tries.map((each) => `  ${each}`)].join("\n")}\n`;
}

/** Returns the errors at the end of a log. */
function reasonIn(logFile: string): string {
  const lines = readFileSync(logFile, "utf8").trimEnd().split("\n");
  const errors = lines.filter((line) => line.startsWith("error: ")).map((line) => line.slice("error: ".length));
  return (errors.length > 0 ? errors : lines.slice(-LOG_TAIL_LINES)).join("; ");
}
