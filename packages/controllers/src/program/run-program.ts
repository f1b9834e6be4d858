// From a command line to a process that leads, or waits to.
import { type ConnectionSettings, loadConnection } from "@orch/client";
import { helpText, parseFlags } from "@orch/machinery";
import { endOnSignals, type Log } from "@orch/platform";
import { VOCABULARY_NAMES, type VocabularyName, vocabularyOf } from "@orch/schema";
import { lineLog } from "../logging/line-log";
import { chosenDuties } from "../manager/chosen-duties";
import type { DutyOptions } from "../manager/duty";
import { DutyStates } from "../manager/duty-states";
import { LedDuties, type RunDutiesOptions, runDuties, untilServerIsHealthy } from "../manager/run-duties";
import { ManagerMetrics } from "../metrics/manager-metrics";
import { flagAliases, type ManagerConfig } from "./manager-flags";
import { deedsOf, managerOptions } from "./manager-options";
import { serveStatus } from "./status-server";

const OPENING = `Does what one process does for the whole cluster: it ${deedsOf()}.

Usage: orch-controller-manager --kubeconfig FILE [options]

Several may run: one leads, the others wait.`;

export async function runProgram(words: readonly string[]): Promise<void> {
  const flags = managerOptions();
  const parsed = parseFlags(flags, words, flagAliases());
  const config = parsed.config as ManagerConfig & DutyOptions;
  if (config.help) {
    process.stdout.write(helpText(OPENING, flags));
    return;
  }
  const log = lineLog({
    form: config["logging-format"],
    isTerminal: process.stderr.isTTY === true,
    write: (line) => process.stderr.write(line),
  });
  for (const warning of parsed.warnings) log.warn(warning);
  let program: Program;
  try {
    if (parsed.errors.length > 0) throw new Error(parsed.errors.join("\nerror: "));
    program = prepare(config, log);
    await serve(program, config);
  } catch (error) {
    process.stderr.write(`error: ${(error as Error).message}\n`);
    process.exitCode = 1;
    return;
  }
  const stop = new AbortController();
  endOnSignals({
    log,
    isEnding: () => stop.signal.aborted,
    end: (signal) => stop.abort(new Error(`${signal} received`)), // gives the lease back, too
  });
  try {
    await untilServerIsHealthy(program.options, stop.signal);
    await (program.led === undefined ? runDuties(program.options, stop.signal) : program.led.run(stop.signal));
    process.exit(0);
  } catch (error) {
    log.error("the process ends", { error: String(error) });
    process.exit(1);
  }
}

interface Program {
  readonly name: string;
  readonly options: RunDutiesOptions;
  readonly metrics: ManagerMetrics;
  readonly states: DutyStates;
  readonly led: LedDuties | undefined;
}

/** @throws Error for what the command line or a file gets wrong */
function prepare(config: ManagerConfig & DutyOptions, log: Log): Program {
  const vocabulary = VOCABULARY_NAMES.find((name) => name === config.vocabulary) ?? "orch";
  const name = vocabularyOf(vocabulary).programs.controllerManager;
  const duties = chosenDuties(config.controllers);
  const states = new DutyStates(duties.map((duty) => duty.name));
  let led: LedDuties | undefined;
  const metrics = new ManagerMetrics({ name, leads: () => led?.isLeader ?? true, states });
  const options: RunDutiesOptions = {
    connection: connectionOf(config, vocabulary),
    vocabulary,
    log,
    duties,
    rate: { perSecond: config["api-qps"], burst: config["api-burst"] },
    options: config,
    states,
    metrics: metrics.queue,
    clientMetrics: metrics.client,
  };
  if (config["leader-elect"]) led = new LedDuties({ ...options, election: electionOf(config) });
  return { name, options, metrics, states, led };
}

function connectionOf(config: ManagerConfig, vocabulary: VocabularyName): ConnectionSettings {
  const path = config.kubeconfig;
  const connection = loadConnection({ vocabulary, ...(path === "" ? {} : { path }) });
  return config.master === "" ? connection : { ...connection, server: config.master };
}

function electionOf(config: ManagerConfig) {
  const [name, namespace] = [config["leader-elect-resource-name"], config["leader-elect-resource-namespace"]];
  return {
    ...(name === "" ? {} : { name }),
    ...(namespace === "" ? {} : { namespace }),
    durations: {
      leaseDurationMs: config["leader-elect-lease-duration"],
      renewDeadlineMs: config["leader-elect-renew-deadline"],
      retryPeriodMs: config["leader-elect-retry-period"],
    },
  };
}

async function serve({ name, metrics, states, led }: Program, config: ManagerConfig): Promise<void> {
  if (config["secure-port"] === 0) return;
  await serveStatus({ config, name, metrics, states, isHealthy: () => led?.isHealthy ?? true });
}
