// Selects by a Lease which API server of the cluster elects leaders. Source:
// pkg/controlplane/controller/leaderelection/run_with_leaderelection.go.
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { LeaderElection, type LeaseAccess, type LeaseDurations } from "@orch/client";
import { isReason, MOST_RECENT } from "@orch/machinery";
import { errorFields } from "@orch/platform";
import type { Entry, ResourceStorage } from "@orch/registry";
import type { coordinationV1, JsonObject, Vocabulary } from "@orch/schema";
import { serverWrite } from "../serving/own-identity";
import { canonical } from "../serving/own-objects";
import { type LeaderElectionsDeps, runLeaderElections } from "./leader-elections";

type Lease = coordinationV1.Lease;

export interface ElectingServerDeps extends LeaderElectionsDeps {
  readonly durations: LeaseDurations;
}

const LEASE = "leader-election-controller";

export class ElectingServer {
  private readonly end = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly deps: ElectingServerDeps) {}

  start(): void {
    const { leases, vocabulary, durations, logger } = this.deps;
    const election = new LeaderElection({
      leases: accessTo(leases, vocabulary),
      name: LEASE,
      identity: `${hostname()}_${randomUUID()}`,
      lead: (signal) => runLeaderElections(this.deps, signal),
      durations,
      log: logger,
    });
    this.running = election
      .run(this.end.signal)
      .catch((error: unknown) => logger.error("the election of leaders has ended", errorFields(error)));
  }

  /** Resolves when another server may elect leaders. */
  async stop(): Promise<void> {
    this.end.abort();
    await this.running;
  }
}

/** Returns the Leases of the system namespace as a client sees them. */
function accessTo(leases: ResourceStorage, vocabulary: Vocabulary): LeaseAccess {
  const { system: namespace } = vocabulary.namespaces;
  const { kind, apiVersion } = leases.definition.storage;
  const write = serverWrite(leases, vocabulary);
  const leaseIn = (entry: Entry): Lease => entry.whole() as unknown as Lease;
  const objectOf = (lease: Lease): JsonObject => {
    const metadata = { ...lease.metadata, namespace };
    return canonical(leases, { ...lease, kind, apiVersion, metadata } as unknown as JsonObject);
  };
  return {
    async find(name) {
      try {
        return leaseIn(await leases.get({ namespace, name }, MOST_RECENT));
      } catch (error) {
        if (isReason(error, "NotFound")) return undefined;
        throw error;
      }
    },
    async create(lease) {
      const { entry } = await leases.create(objectOf(lease), { namespace, name: "" }, write);
      return leaseIn(entry);
    },
    async update(lease) {
      const { name = "" } = lease.metadata ?? {};
      const { entry } = await leases.update(objectOf(lease), { namespace, name }, write);
      return leaseIn(entry);
    },
    // A released lease is found at the next attempt.
    async *watch({ signal } = {}) {
      if (signal?.aborted !== true)
        await new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve(), { once: true }));
    },
  };
}
