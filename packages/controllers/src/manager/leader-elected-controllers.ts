// Controllers with leader election among several processes. Source: Kubernetes documentation, "Leases", "Leader
// election".
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import {
  builtInTypes,
  DEFAULT_LEASE_DURATIONS,
  EventRecorder,
  LeaderElection,
  type LeaseDurations,
  systemClock,
} from "@orch/client";
import { vocabularyOf } from "@orch/schema";
import { ManagerClients } from "./manager-clients";
import { type RunControllersOptions, runControllers } from "./run-controllers";

export interface ElectionSettings {
  /** Name of the lease. Default: the program's name, in the system namespace. */
  readonly name?: string;
  readonly namespace?: string;
  readonly durations?: LeaseDurations;
}

export class LeaderElectedControllers {
  private readonly clients: ManagerClients;
  private readonly recorder: EventRecorder;
  private readonly election: LeaderElection;
  private stopped = false;

  constructor(options: RunControllersOptions & { readonly election?: ElectionSettings }) {
    const { vocabulary, log, election = {} } = options;
    const { programs, namespaces, objectNames } = vocabularyOf(vocabulary);
    this.clients = new ManagerClients(options);
    const client = this.clients.own("leader-election");
    const controller = programs.controllerManager;
    this.recorder = EventRecorder.through(client, { controller, instance: `${controller}-${hostname()}` });
    this.election = new LeaderElection({
      leases: client.resource(builtInTypes(vocabulary).leases).namespace(election.namespace ?? namespaces.system),
      name: election.name ?? objectNames.controllerManager,
      identity: `${hostname()}_${randomUUID()}`,
      events: this.recorder,
      ...(election.durations === undefined ? {} : { durations: election.durations }),
      log,
      leaderChanged: (leader) => log.info("observed a new leader", { leader }),
      lead: async (leading) => {
        await this.untilEndedOrLost(runControllers(options, leading), leading, election.durations);
        if (!this.stopped) throw new Error(`${controller} is no longer the leader`);
      },
    });
  }

  /**
   * Waits for the work. After a loss of the lease it waits for a part of the time in which no other process may lead:
   * requests to a server that has vanished end only with their own timeouts, and the process is about to exit.
   */
  private async untilEndedOrLost(
    work: Promise<void>,
    leading: AbortSignal,
    { leaseDurationMs, renewDeadlineMs }: LeaseDurations = DEFAULT_LEASE_DURATIONS,
  ): Promise<void> {
    let cancel = () => {};
    const lost = new Promise<void>((resolve) => {
      leading.addEventListener("abort", () => {
        if (!this.stopped) cancel = systemClock.after((leaseDurationMs - renewDeadlineMs) / 2, resolve);
      });
    });
    await Promise.race([work, lost]);
    cancel();
  }

  get isLeader(): boolean {
    return this.election.isLeader;
  }

  /** False for a leader that could not renew its lease and should have stopped long ago. */
  get isHealthy(): boolean {
    return this.election.isHealthy();
  }

  /**
   * Waits for leadership, then runs the controllers until the signal is aborted. The controllers end before the lease
   * is released.
   * @throws Error when leadership is lost
   */
  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener("abort", () => {
      this.stopped = true;
    });
    try {
      await this.election.run(signal);
    } finally {
      await this.recorder.close();
      this.clients.close();
    }
  }
}
