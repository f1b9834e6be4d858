// Starts the program: from the command line to a process that leads or waits for leadership.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ClientMetrics, type ConnectionSettings, loadConnection } from "@orch/client";
import { helpText, parseFlags } from "@orch/machinery";
import {
  answerWatchdog,
  endOnSignals,
  ignoreStreamErrors,
  LOSS_MESSAGE,
  type Log,
  LogOutput,
  reportReady,
} from "@orch/platform";
import { VOCABULARY_NAMES, type Vocabulary, type VocabularyName, vocabularyOf } from "@orch/schema";
import type { ControllerOptions } from "../framework/controller";
import { unimplementedControllers } from "../manager/chosen-controllers";
import { ControllerStates } from "../manager/controller-states";
import { LeaderElectedControllers } from "../manager/leader-elected-controllers";
import { type RunControllersOptions, runControllers, untilServerIsHealthy } from "../manager/run-controllers";
import { ManagerMetrics } from "../serving/manager-metrics";
import { serveStatus } from "../serving/status-server";
import { lineLog } from "./line-log";
import { flagAliases, flagProblems, flagSpellings, type ManagerConfig } from "./manager-flags";
import { describeControllers, managerOptions } from "./manager-options";
import { electionOf, runSettingsOf } from "./run-settings";

/** Time for shutdown. The API server may be unavailable: controllers that have not ended by then are abandoned. */
const END_MS = 15_000;

const OPENING = `Runs the controllers of the cluster.

Usage: orch-controller-manager --kubeconfig FILE [options]

Several processes may run: one is the leader, the others wait. The controllers, by their names for --controllers:

${describeControllers()}`;

export async function runProgram(words: readonly string[]): Promise<void> {
  ignoreStreamErrors(process.stderr);
  const flags = managerOptions();
  const parsed = parseFlags(flags, words, flagAliases(flags));
  const config = parsed.config as ManagerConfig & ControllerOptions;
  if (config.help) {
    process.stdout.write(helpText(OPENING, flags));
    return;
  }
  const problems = [...parsed.errors, ...(parsed.errors.length === 0 ? flagProblems(config) : [])];
  if (problems.length === 0 && config.version !== "false") {
    process.stdout.write(`${versionText(vocabularyOf(vocabularyIn(config)), config.version)}\n`);
    return;
  }
  const log = lineLog({
    form: config["logging-format"],
    isTerminal: process.stderr.isTTY === true,
    write: (line) => output.write(line),
  });
  const output = new LogOutput((fields) => log.warn(LOSS_MESSAGE, fields));
  for (const warning of parsed.warnings) log.warn(warning);
  const idle = [...parsed.given].filter((name) => flags[name]?.noEffect === true);
  if (idle.length > 0) log.warn("accepted flags without effect", { options: idle });
  let program: Program;
  try {
    if (problems.length > 0) throw new Error(problems.join("\nerror: "));
    program = prepare(config, log);
    await serve(program, config);
    // A manager that waits for the lease is ready too.
    answerWatchdog();
    reportReady();
  } catch (error) {
    process.stderr.write(`error: ${(error as Error).message}\n`);
    process.exitCode = 1;
    return;
  }
  const stop = new AbortController();
  endOnSignals({
    log,
    isEnding: () => stop.signal.aborted,
    end(signal) {
      stop.abort(new Error(`${signal} received`)); // also releases the lease
      setTimeout(() => {
        log.warn("the controllers did not stop in time: the process exits", { milliseconds: END_MS });
        process.exit(1);
      }, END_MS).unref();
    },
  });
  try {
    await untilServerIsHealthy(program.options, stop.signal);
    await (program.led === undefined ? runControllers(program.options, stop.signal) : program.led.run(stop.signal));
    process.exit(0);
  } catch (error) {
    log.error("the process exits", { error: String(error) });
    process.exit(1);
  }
}

const vocabularyIn = (config: ManagerConfig): VocabularyName =>
  VOCABULARY_NAMES.find((name) => name === config.vocabulary) ?? "orch";

interface Program {
  readonly options: RunControllersOptions;
  readonly metrics: ManagerMetrics;
  readonly states: ControllerStates;
  readonly led: LeaderElectedControllers | undefined;
}

/** @throws Error for an invalid command line or file */
function prepare(config: ManagerConfig & ControllerOptions, log: Log): Program {
  const vocabulary = vocabularyIn(config);
  const name = vocabularyOf(vocabulary).programs.controllerManager;
  const settings = runSettingsOf(config);
  const others = unimplementedControllers(config.controllers);
  if (others.length > 0) log.warn("controllers that are not part of this program", { duties: others });
  const states = new ControllerStates(settings.controllers.map((controller) => controller.name));
  let led: LeaderElectedControllers | undefined;
  const health = vocabularyOf(vocabulary).metricsNames;
  const metrics = new ManagerMetrics({ name, leads: () => led?.isLeader ?? true, states, health });
  const options: RunControllersOptions = {
    connection: connectionOf(config, vocabulary),
    vocabulary,
    log,
    ...settings,
    states,
    metrics: metrics.queue,
    devices: metrics.devices,
    clientMetrics: config.v < REQUESTS_VERBOSITY ? metrics.client : toldMetrics(metrics.client, log),
  };
  if (config["leader-elect"]) led = new LeaderElectedControllers({ ...options, election: electionOf(config) });
  return { options, metrics, states, led };
}

/** Verbosity from which on every request is logged. */
const REQUESTS_VERBOSITY = 6;

const toldMetrics = (metrics: ClientMetrics, log: Log): ClientMetrics => ({
  ...metrics,
  tried(place, code, seconds, path) {
    metrics.tried(place, code, seconds, path);
    log.info("request", { ...place, code, milliseconds: Math.round(seconds * 1000) });
  },
});

function connectionOf(config: ManagerConfig, vocabulary: VocabularyName): ConnectionSettings {
  const path = config.kubeconfig;
  const connection = loadConnection({ vocabulary, ...(path === "" ? {} : { path }) });
  return config.master === "" ? connection : { ...connection, server: config.master };
}

async function serve({ options, metrics, states, led }: Program, config: ManagerConfig): Promise<void> {
  if (config["secure-port"] === 0) return;
  const { log } = options;
  const vocabulary = vocabularyOf(options.vocabulary);
  const flags = managerOptions();
  await serveStatus({
    ...{ config, vocabulary, log, metrics, states },
    isHealthy: () => led?.isHealthy ?? true,
    flags,
    spellings: flagSpellings(flags, vocabulary),
    version: packageVersion(),
  });
}

const PACKAGE = join(__dirname, "../../package.json");
const RECORD = join(__dirname, "../../dist/build.json");

/** Returns the output of `--version`. @param form value of the option: `raw` for all details */
function versionText({ programs }: Vocabulary, form: string): string {
  const version = packageVersion();
  const { commit = "", date = "" } = buildRecord();
  const known = /^[0-9a-f]{7,}$/.test(commit) ? ` (commit ${commit.slice(0, 12)})` : "";
  if (form !== "raw") return `${programs.controllerManager} v${version}${known}`;
  const build = { gitCommit: commit, buildDate: date, runtime: `node${process.version}` };
  const platform = `${process.platform}/${process.arch}`;
  return JSON.stringify({ program: programs.controllerManager, version, ...build, platform });
}

/** Returns what scripts/write-build-record.mjs wrote beside the compiled sources; nothing when they run without a build. */
function buildRecord(): { readonly commit?: string; readonly date?: string } {
  try {
    return JSON.parse(readFileSync(RECORD, "utf8"));
  } catch {
    return {};
  }
}

const packageVersion = (): string =>
  (JSON.parse(readFileSync(PACKAGE, "utf8")) as { readonly version: string }).version;
