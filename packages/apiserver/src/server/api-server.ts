// One API server: its start, its stop, and what moves its clients.
import { isUnspecified } from "@orch/http-server";
import { compactionFigures } from "@orch/observability";
import { type EndReason, errorFields, systemClock, whenIdle } from "@orch/platform";
import { type Compactor, startCompactor } from "@orch/registry";
import type { ApiResponse } from "@orch/request";
import type { ApiServerParts } from "./api-server-parts";
import { type Assembly, assemble, type ServerState } from "./assembly";
import { endOverTime } from "./end-over-time";
import { historyTrimmers } from "./history-trimmers";

/** Interval at which missing bootstrap objects are created again. */
const KEPT_EVERY_MS = 60_000;
/** Time for clients that are about to send a request: its answer asks them to reconnect. */
const HAND_OVER_MS = 1000;
/** Time after the last answer for clients to read what is in transit. */
const LAST_BYTES_MS = 2000;

export class ApiServer {
  private readonly state: ServerState;
  private readonly made: Assembly;
  private compactors: readonly Compactor[] = [];
  private trimmers: readonly { stop(): void }[] = [];
  private upkeep: NodeJS.Timeout | undefined;
  private callOffNaming = (): void => {};

  constructor(private readonly parts: ApiServerParts) {
    const goawayChance = parts.config["goaway-chance"];
    this.state = { port: 0, isReplaced: false, gate: { state: "serving", goawayChance } };
    this.made = assemble(parts, this.state);
  }

  /** Port of the listener; 0 before it listens. */
  get port(): number {
    return this.state.port;
  }

  /** Delay between failing readiness and ending open streams and connections. */
  private delayMs(why: "alone" | EndReason): number {
    switch (why) {
      case "alone":
      case "together":
        return this.parts.config["shutdown-delay-duration"];
      case "replaced":
        return HAND_OVER_MS;
      case "orphaned":
        return 0;
    }
  }

  private watchesEndOverMs(why: "alone" | EndReason): number {
    const leaves = why === "alone" || why === "together";
    return leaves ? this.parts.config["shutdown-watch-termination-grace-period"] : 0;
  }

  /** `https://host:port`, as advertised to clients. */
  get url(): string {
    return this.made.place.url;
  }

  /** Resolves when the port is open. Requests for objects are refused until the start is complete. */
  async listen(): Promise<void> {
    const { config } = this.parts;
    const host = config["bind-address"];
    this.state.port = await this.made.listener.listen(config["secure-port"], isUnspecified(host) ? undefined : host);
    this.made.limits.start();
  }

  /**
   * Handles an uncaught error. An error of one connection closes that connection; otherwise the state of the process is
   * unknown.
   */
  contain(error: unknown): boolean {
    return this.made.limits.contain(error);
  }

  /** Resolves when the server is ready. @throws WrongVocabularyError, and other errors that a retry cannot solve */
  async becomeReady(): Promise<void> {
    await this.made.startSequence.run();
    this.made.publishedSchema.start();
    this.made.health.hooks.openapi.done();
    await Promise.all([this.made.identityLease?.start(), this.made.serviceAddresses?.start()]);
    this.made.health.hooks.serviceCidr.done();
    await this.made.storageVersions?.start();
    this.made.health.hooks.storageVersions.done();
    await this.made.peers?.start();
    this.made.electingServer?.start();
    this.made.health.hooks.leaderElections.done();
    await this.made.ownService.start();
    // Not awaited: readiness waits for the first repair by a hook in the releases that have it.
    void this.made.allocationRepair.start();
    this.made.policyStatus.start();
    this.made.migration.migration.start();
    this.made.migration.objects.start();
    this.upkeep = setInterval(() => this.made.startSequence.keepObjects(), KEPT_EVERY_MS).unref();
    this.made.figures.start();
    this.callOffNaming = whenIdle(() => this.made.listener.nameAuthorities());
    const { store, otherStores, logger, config, metrics } = this.parts;
    const intervalMs = config["etcd-compaction-interval"];
    this.compactors = [store, ...(otherStores?.stores ?? [])].map((each, index) =>
      startCompactor({
        ...{ store: each, clock: systemClock, log: logger, intervalMs },
        observe: compactionFigures(metrics, `etcd-${index}`),
      }),
    );
    this.trimmers = historyTrimmers(this.parts, this.made.core.storages.namespaces);
  }

  /** Number of connections whose clients can be asked to reconnect. */
  get movableConnections(): number {
    return this.made.limits.connections.movable().length;
  }

  /**
   * Asks a number of clients to reconnect, those with the fewest open requests first. Requests under way are answered
   * before.
   */
  sendOn(count: number): void {
    const movable = [...this.made.limits.connections.movable()].sort((one, other) => one.open - other.open);
    for (const connection of movable.slice(0, count)) connection.endSoon();
  }

  /**
   * Stops the server: readiness fails at once; after the delay no new connections are accepted, requests under way are
   * completed, and watches end. Safe to call at any time after the constructor.
   * @param why `replaced`: other processes serve the port, so readiness stays and only connections are closed;
   * `orphaned`: the port is already closed and there is no delay
   */
  async stop(why: "alone" | EndReason = "alone"): Promise<void> {
    const { config, logger, tls } = this.parts;
    this.made.startSequence.stop();
    this.callOffNaming();
    const goesOn = why === "replaced";
    this.state.isReplaced = goesOn;
    if (goesOn) this.made.listener.closePort();
    this.state.gate.state = config["shutdown-send-retry-after"] && !goesOn ? "refusing" : "draining";
    const delayMs = this.delayMs(why);
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    this.made.allocationRepair.stop();
    this.made.serviceAddresses?.stop();
    await this.made.electingServer?.stop();
    await this.made.peers?.stop(goesOn || this.hasLostStore);
    this.made.storageVersions?.stop();
    await this.made.identityLease?.stop(goesOn || this.hasLostStore);
    this.made.policyStatus.close();
    await this.made.migration.objects.stop();
    await this.made.migration.migration.stop();
    const offEndpoints = this.made.ownService.stop(goesOn || this.hasLostStore);
    // Without its store the replica cannot be removed from the endpoints: its lease expires.
    if (!this.hasLostStore) await offEndpoints;
    this.made.listener.stopAccepting();
    await endOverTime(this.made.limits.active.longRunning(), {
      overMs: this.watchesEndOverMs(why),
      hasEnded: ({ closed }) => closed,
      end: endStream,
    });
    await this.requestsEnd();
    this.made.listener.destroy();
    // The last events of connections arrive with their ends.
    await new Promise((resolve) => setImmediate(resolve));
    this.parts.authentication.close();
    await this.parts.audit?.close();
    tls.close();
    this.parts.revocation?.close();
    this.made.limits.stop();
    this.made.figures.stop();
    this.made.goneResources.stop();
    await this.made.publishedSchema.stop();
    clearInterval(this.upkeep);
    for (const compactor of this.compactors) compactor.stop();
    for (const trimmer of this.trimmers) trimmer.stop();
    this.made.customResources.close();
    this.made.authentication.stop();
    this.made.accountKeys.stop();
    this.made.authenticationInfo.stop();
    await this.made.legacyTokens.stop();
    await this.made.aggregation.stop();
    this.made.largeObjectWorkers?.close();
    this.made.flowControl?.close();
    this.made.core.readers.close();
    this.made.core.manifests?.close();
    this.made.webhooks.close();
    this.made.rbac.close();
    this.made.nodeObjects.close();
    this.made.agentFiles.close();
    this.parts.authorization.close();
    this.parts.remotes.close();
    this.parts.encryption?.close();
    await this.parts.tracer?.close();
    await this.made.core.registry
      .close()
      .catch((error: unknown) => logger.warn("the registry did not close cleanly", errorFields(error)));
  }

  /** Whether the store is unreachable, as far as the cache knows. */
  get hasLostStore(): boolean {
    return !this.made.core.registry.health().connected;
  }

  private async requestsEnd(): Promise<void> {
    const late = new AbortController();
    let lostForMs = 0;
    const look = setInterval(() => {
      lostForMs = this.hasLostStore ? lostForMs + LOOK_AT_STORE_MS : 0;
      if (lostForMs >= WITHOUT_STORE_MS) late.abort();
    }, LOOK_AT_STORE_MS);
    await this.made.limits.active.idle(this.parts.config["request-timeout"], LAST_BYTES_MS, late.signal);
    clearInterval(look);
  }
}

/** Time for requests under way when the store is lost: hardly any of them can succeed. */
const WITHOUT_STORE_MS = 2_000;
const LOOK_AT_STORE_MS = 250;

function endStream(response: ApiResponse): void {
  const { stream } = response.req.context;
  if (stream === undefined) response.destroy();
  else stream.end();
}
