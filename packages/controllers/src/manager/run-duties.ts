// Runs all controllers of one process until the signal is aborted.
import { hostname } from "node:os";
import { EventRecorder, type QueueMetrics, systemClock } from "@orch/client";
import { defaultsOf } from "@orch/machinery";
import { pauseUnlessAborted } from "@orch/platform";
import { EVERY_DUTY } from "../duties/every-duty";
import type { Duty, DutyOptions } from "./duty";
import type { DutyStates } from "./duty-states";
import { ManagerClients, type ManagerClientsOptions } from "./manager-clients";
import { lackFor } from "./served-duty";
import { changedRelease, servedRelease } from "./served-release";
import { SharedViews } from "./shared-views";

export interface RunDutiesOptions extends ManagerClientsOptions {
  /** Default: all. */
  readonly duties?: readonly Duty[];
  /** Values of the controllers' flags. Missing ones have their defaults. */
  readonly options?: DutyOptions;
  /** Interval between the starts of two controllers. Default: all start at once. */
  readonly startIntervalMs?: number;
  /** Receives the state of each controller by name. */
  readonly states?: DutyStates;
  readonly metrics?: (queue: string) => QueueMetrics;
}

const SERVER_POLL_MS = 1_000;

/**
 * Runs the controllers until the signal is aborted. This process must be the only one, or the leader. Restarts them
 * when the release of the server changes.
 * @throws Error when a controller fails, after all others have ended
 */
export async function runDuties(options: RunDutiesOptions, signal: AbortSignal): Promise<void> {
  const clients = new ManagerClients(options);
  const own = clients.own("release");
  try {
    for (let release = await servedRelease(own, signal); release !== undefined; ) {
      const end = new AbortController();
      const other = new AbortController();
      const changed = changedRelease(own, release, AbortSignal.any([signal, end.signal]));
      void changed.then((now) => {
        if (now !== undefined) other.abort(new Error(`the server is of release ${now} now`));
      });
      try {
        await runAll(options, clients, release, AbortSignal.any([signal, other.signal]));
      } finally {
        end.abort();
      }
      release = signal.aborted ? undefined : await changed;
      if (release !== undefined)
        options.log.info("the server is of another release: the duties begin anew", { release });
    }
  } finally {
    clients.close();
  }
}

async function runAll(
  options: RunDutiesOptions,
  clients: ManagerClients,
  release: string,
  signal: AbortSignal,
): Promise<void> {
  const { duties = EVERY_DUTY, states, log, startIntervalMs = 0 } = options;
  const one = new AbortController();
  const all = AbortSignal.any([signal, one.signal]);
  const views = new SharedViews(clients.follower);
  views.start(all);
  log.info("the duties begin", { duties: duties.map(({ name }) => name) });
  const begin = async (duty: Duty): Promise<void> => {
    states?.set(duty.name, { kind: "working" });
    try {
      await runDuty(options, { clients, views, release }, duty, all);
      states?.set(duty.name, { kind: "waiting" });
    } catch (error) {
      states?.set(duty.name, { kind: "failed", why: String(error) });
      one.abort(new Error(`the duty ${duty.name} failed`, { cause: error }));
      throw error;
    }
  };
  const begun: Promise<void>[] = [];
  for (const duty of inOrder(duties)) {
    if (startIntervalMs > 0 && begun.length > 0) {
      await pauseUnlessAborted(systemClock, startIntervalMs * (1 + Math.random()), all);
    }
    if (all.aborted) break;
    begun.push(begin(duty));
  }
  const ends = await Promise.allSettled(begun);
  await views.stopped();
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

/** Name of the controller to start first, because the others may need the tokens that it creates. */
const FIRST = "serviceaccount-token";

const inOrder = (duties: readonly Duty[]): readonly Duty[] => [
  ...duties.filter(({ name }) => name === FIRST),
  ...duties.filter(({ name }) => name !== FIRST),
];

async function runDuty(
  { metrics, connection, options, log }: RunDutiesOptions,
  {
    clients,
    views,
    release,
  }: { readonly clients: ManagerClients; readonly views: SharedViews; readonly release: string },
  duty: Duty,
  signal: AbortSignal,
): Promise<void> {
  const client = clients.of(duty);
  const recorder = EventRecorder.through(client, {
    controller: duty.alias,
    instance: `${duty.alias}-${hostname()}`,
  });
  try {
    const lack = await lackFor(duty, { client, release }, signal);
    if (lack !== undefined) {
      log.info("a duty stays off: the server has nothing for it", { duty: duty.name, lacks: lack });
      return;
    }
    const trusted = connection.tls.ca;
    const context = {
      client,
      release,
      events: recorder,
      trusted,
      views,
      ...(metrics === undefined ? {} : { metrics }),
    };
    if (!signal.aborted) await duty.run(context, ownOptions(duty, options), signal);
  } finally {
    await recorder.close();
    clients.end(client);
  }
}

function ownOptions({ flags }: Duty, given: DutyOptions = {}): DutyOptions {
  const own = Object.entries(given).filter(([name]) => Object.hasOwn(flags, name));
  return { ...defaultsOf(flags), ...Object.fromEntries(own) };
}

/** Waits until the server reports that it is healthy, or the signal is aborted. */
export async function untilServerIsHealthy(options: RunDutiesOptions, signal: AbortSignal): Promise<void> {
  const clients = new ManagerClients(options);
  const client = clients.own("start");
  try {
    while (!signal.aborted) {
      try {
        await client.getText("/healthz", { signal });
        return;
      } catch (error) {
        if (!signal.aborted) options.log.info("the API server does not answer yet", { error: String(error) });
        await pauseUnlessAborted(client.clock, SERVER_POLL_MS, signal);
      }
    }
  } finally {
    clients.close();
  }
}
