// All duties of one process, alone or as one of several processes of which one leads.
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import {
  builtInTypes,
  Client,
  type ClientMetrics,
  type ConnectionSettings,
  EventRecorder,
  LeaderElection,
  type LeaseDurations,
  type QueueMetrics,
} from "@orch/client";
import { defaultsOf } from "@orch/machinery";
import { type Log, pauseUnlessAborted } from "@orch/platform";
import { type VocabularyName, vocabularyOf } from "@orch/schema";
import { EVERY_DUTY } from "../duties/every-duty";
import type { Duty, DutyOptions } from "./duty";
import type { DutyStates } from "./duty-states";

export interface RunDutiesOptions {
  readonly connection: ConnectionSettings;
  readonly vocabulary: VocabularyName;
  readonly log: Log;
  /** Default: all. */
  readonly duties?: readonly Duty[];
  /** Of an ordinary duty. Default: 20 a second, 30 at once. */
  readonly rate?: { readonly perSecond: number; readonly burst: number };
  /** Of the duties' own flags. What is missing has its default. */
  readonly options?: DutyOptions;
  /** Told how each duty fares, by its name. */
  readonly states?: DutyStates;
  readonly metrics?: (queue: string) => QueueMetrics;
  readonly clientMetrics?: ClientMetrics;
}

export interface ElectionSettings {
  /** Default: the program's name in the namespace of the system. */
  readonly name?: string;
  readonly namespace?: string;
  readonly durations?: LeaseDurations;
}

const DEFAULT_RATE = { perSecond: 20, burst: 30 };
const SERVER_POLL_MS = 1_000;

/**
 * Works until the signal is aborted; this process must be the only one, or lead.
 * @throws Error when a duty fails, once all the others have ended too
 */
export async function runDuties(options: RunDutiesOptions, signal: AbortSignal): Promise<void> {
  const { duties = EVERY_DUTY, states } = options;
  const one = new AbortController();
  const all = AbortSignal.any([signal, one.signal]);
  const ends = await Promise.allSettled(
    duties.map(async (duty) => {
      states?.set(duty.name, { kind: "working" });
      try {
        await runDuty(options, duty, all);
        states?.set(duty.name, { kind: "waiting" });
      } catch (error) {
        states?.set(duty.name, { kind: "failed", why: String(error) });
        one.abort(new Error(`the duty ${duty.name} failed`, { cause: error }));
        throw error;
      }
    }),
  );
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

async function runDuty(options: RunDutiesOptions, duty: Duty, signal: AbortSignal): Promise<void> {
  const { rate = DEFAULT_RATE, log, metrics, connection } = options;
  const { rateFactor = 1 } = duty;
  const client = clientFor(options, duty.name, {
    perSecond: rate.perSecond * rateFactor,
    burst: rate.burst * rateFactor,
  });
  const recorder = EventRecorder.through(client, {
    controller: duty.alias,
    instance: `${duty.alias}-${hostname()}`,
  });
  log.info("a duty begins", { duty: duty.name });
  try {
    const trusted = connection.tls.ca;
    const context = { client, events: recorder, trusted, ...(metrics === undefined ? {} : { metrics }) };
    await duty.run(context, ownOptions(duty, options.options), signal);
  } finally {
    await recorder.close();
    client.close();
  }
}

function ownOptions({ flags }: Duty, given: DutyOptions = {}): DutyOptions {
  const own = Object.entries(given).filter(([name]) => Object.hasOwn(flags, name));
  return { ...defaultsOf(flags), ...Object.fromEntries(own) };
}

/** The lead of one process among several. */
export class LedDuties {
  private readonly client: Client;
  private readonly recorder: EventRecorder;
  private readonly election: LeaderElection;
  private stopped = false;

  constructor(options: RunDutiesOptions & { readonly election?: ElectionSettings }) {
    const { vocabulary, log, election = {} } = options;
    const { programs, namespaces, objectNames } = vocabularyOf(vocabulary);
    this.client = clientFor(options, "leader-election", { perSecond: 0, burst: 0 });
    const controller = programs.controllerManager;
    this.recorder = EventRecorder.through(this.client, { controller, instance: `${controller}-${hostname()}` });
    this.election = new LeaderElection({
      leases: this.client.resource(builtInTypes(vocabulary).leases).namespace(election.namespace ?? namespaces.system),
      name: election.name ?? objectNames.controllerManager,
      identity: `${hostname()}_${randomUUID()}`,
      events: this.recorder,
      ...(election.durations === undefined ? {} : { durations: election.durations }),
      log,
      leaderChanged: (leader) => log.info("a leader was seen", { leader }),
      lead: async (leading) => {
        await runDuties(options, leading);
        if (!this.stopped) throw new Error(`${controller} no longer leads`);
      },
    });
  }

  get isLeader(): boolean {
    return this.election.isLeader;
  }

  /** False for a leader that could not renew its lease and should have ended long ago. */
  get isHealthy(): boolean {
    return this.election.isHealthy();
  }

  /**
   * Waits to lead, then works until the signal is aborted; then the work ends first, and the lease is given back.
   * @throws Error when the lead is lost
   */
  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener("abort", () => {
      this.stopped = true;
    });
    try {
      await this.election.run(signal);
    } finally {
      await this.recorder.close();
      this.client.close();
    }
  }
}

/** Waits until the server says that it is healthy, or the signal is aborted. */
export async function untilServerIsHealthy(options: RunDutiesOptions, signal: AbortSignal): Promise<void> {
  const client = clientFor(options, "start", { perSecond: 0, burst: 0 });
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
    client.close();
  }
}

function clientFor(
  { connection, vocabulary, log, clientMetrics }: RunDutiesOptions,
  component: string,
  rateLimit: { readonly perSecond: number; readonly burst: number },
): Client {
  const program = vocabularyOf(vocabulary).programs.controllerManager;
  const onWarning = () => {}; // that what discovery offers is old is for those who chose it to know
  const metrics = clientMetrics === undefined ? {} : { metrics: clientMetrics };
  return new Client({ connection, vocabulary, program, component, rateLimit, log, onWarning, ...metrics });
}
