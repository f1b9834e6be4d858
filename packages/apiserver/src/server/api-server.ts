// One API server: assembly, start and stop.
import type { TLSSocket } from "node:tls";
import type { Authorizer } from "@orch/auth";
import type { ServedDefinitions } from "@orch/extensions";
import { isUnspecified, type SecureListener } from "@orch/http-server";
import type { PublishedSchema } from "@orch/openapi";
import { errorFields, type Leaving, systemClock, whenQuiet } from "@orch/platform";
import { NodeAgentFiles } from "@orch/proxy";
import { type Compactor, EventLoopYielder, type Registry, startCompactor } from "@orch/registry";
import type { ApiResponse } from "@orch/request";
import { AdmissionWebhooks } from "../admission/webhooks/admission-webhooks";
import { NodeObjects } from "../authorization/node/node-objects";
import { DeprecatedRequests } from "../deprecations/deprecated-requests";
import { LargeObjectWorkers } from "../large-objects/large-object-workers";
import { GoneResources } from "../metrics/gone-resources";
import { PolledFigures } from "../metrics/polled-figures";
import { type OpenMigration, openMigration } from "../migration/open-migration";
import { AllocationRepair } from "../own-service/allocation-repair";
import type { OwnService } from "../own-service/own-service";
import { RequestRecords } from "../pipeline/request-records";
import { AcknowledgedWrites } from "../serving/acknowledged-writes";
import type { ResourceStorages } from "../serving/resource-storages";
import { servicesOf } from "../serving/services";
import { type AccountKeys, openAccountKeys } from "./account-keys";
import { AdvertisedPlace } from "./advertised-place";
import { Aggregation } from "./aggregation";
import type { ApiServerParts } from "./api-server-parts";
import { AuthenticationInfo } from "./authentication-info";
import { type AuthenticationMethods, authenticationMethods } from "./authentication-methods";
import { StartSequence } from "./bootstrap/start-sequence";
import { ConnectionLimits } from "./connection-limits";
import { customResources, workerDefinitions } from "./custom-resources";
import { endOverTime } from "./end-over-time";
import type { FlowControl } from "./flow-control";
import { healthOfServer, type ServerHealth } from "./health-of-server";
import { openHttpEndpoint } from "./http-endpoint";
import { inFlightOf } from "./in-flight";
import { sharedConversionWebhooks } from "./large-conversions";
import { LegacyTokens } from "./legacy-tokens/legacy-tokens";
import { OwnPlaces } from "./own-places";
import { ownServiceOf } from "./own-service";
import { PolicyStatus } from "./policy-status";
import { RbacInformers } from "./rbac-informers";
import { type ServingCore, servingCore } from "./serving-core";

const asMade = <Made>(made: Made): Made => made;

/** Interval at which missing bootstrap objects are created again. */
const KEPT_EVERY_MS = 60_000;
/** Time for clients that are about to send a request: its answer asks them to reconnect. */
const HAND_OVER_MS = 1000;
/** Time after the last answer for clients to read what is in transit. */
const LAST_BYTES_MS = 2000;

export class ApiServer {
  port = 0;
  private readonly loop = new EventLoopYielder();
  private readonly webhooks: AdmissionWebhooks;
  private readonly core: ServingCore;
  private readonly registry: Registry;
  private readonly storages: ResourceStorages;
  private readonly health: ServerHealth;
  private readonly limits: ConnectionLimits;
  /** Undefined when the in-flight limits apply instead. */
  private readonly flowControl: FlowControl | undefined;
  private compactors: readonly Compactor[] = [];
  private readonly figures: PolledFigures;
  private upkeep: NodeJS.Timeout | undefined;
  private readonly listener: SecureListener;
  private readonly startSequence: StartSequence;
  private readonly ownService: OwnService;
  private readonly allocationRepair: AllocationRepair;
  private readonly policyStatus: PolicyStatus;
  private readonly migration: OpenMigration;
  private readonly largeObjectWorkers: LargeObjectWorkers | undefined;
  private readonly customResources: ServedDefinitions;
  private readonly aggregation: Aggregation;
  private readonly authenticationInfo: AuthenticationInfo;
  private readonly legacyTokens: LegacyTokens;
  private readonly records: RequestRecords;
  private readonly deprecated: DeprecatedRequests;
  private readonly publishedSchema: PublishedSchema;
  private readonly place: AdvertisedPlace;
  private readonly goneResources: GoneResources;
  private readonly rbac: RbacInformers;
  private readonly nodeObjects: NodeObjects;
  private readonly agentFiles: NodeAgentFiles;
  private readonly authorizer: Authorizer;
  private readonly accountKeys: AccountKeys;
  private readonly authentication: AuthenticationMethods;
  private isReplaced = false;
  private callOffNaming = (): void => {};
  private readonly gate = { state: "serving" as "serving" | "draining" | "refusing", goawayChance: 0 };

  constructor(private readonly parts: ApiServerParts) {
    const { config, settings, vocabulary, store, logger, metrics, tls, seams = {} } = parts;
    const others = parts.otherStores?.stores ?? [];
    const stores = [store, ...others];
    this.place = new AdvertisedPlace(config, () => this.port);
    this.accountKeys = openAccountKeys({ config, vocabulary, logger, metrics, ownKey: parts.accountKey });
    const ownPlaces = new OwnPlaces({
      vocabulary,
      bindAddress: config["bind-address"],
      advertiseAddress: config["advertise-address"],
      securePort: () => this.port,
      storages: () => this.storages,
    });
    this.webhooks = new AdmissionWebhooks({
      ...{ vocabulary, logger, metrics },
      own: { bindAddress: config["bind-address"], securePort: () => this.port },
      resolve: (service) => servicesOf(config, this.storages)(service),
      guard: ownPlaces,
      isAggregated: (group, version) => this.aggregation.registrations.remoteOf(group, version) !== undefined,
      lister: (resource) =>
        this.core.readers.objects.lister({ group: vocabulary.groups.admissionregistration, resource }),
      storage: (of) => this.core.resources.find(of),
    });
    this.core = servingCore({
      ...parts,
      webhooks: this.webhooks.caller,
      tokenIssuer: this.accountKeys,
      settings: { ...settings, plugins: (seams.plugins ?? asMade)(settings.plugins) },
      follows: true,
      loop: this.loop,
      restored: () => void this.startSequence.again(),
      access: () => ({ grants: this.rbac.grants, authorizer: this.authorizer }),
      ...(seams.registry === undefined ? {} : { seam: seams.registry }),
    });
    this.registry = this.core.registry;
    seams.resources?.(this.core.resources);
    this.storages = this.core.storages;
    this.policyStatus = new PolicyStatus({ ...this.core, ...{ vocabulary, logger, loop: this.loop } });
    this.rbac = new RbacInformers({
      ...{ vocabulary, logger, registry: this.registry, loop: this.loop },
      storages: this.storages.rbac,
    });
    const { grants } = this.rbac;
    this.agentFiles = new NodeAgentFiles(config, parts);
    this.nodeObjects = new NodeObjects({ ...parts, storages: this.storages, loop: this.loop });
    parts.authorization.start({ rbac: grants, node: () => this.nodeObjects.used() });
    this.authorizer = (seams.authorizer ?? asMade)(parts.authorization);
    const threads = config["large-object-threads"];
    if (threads > 0) {
      const { authorizer } = this;
      const definitions = workerDefinitions(this.core.routes, () => this.customResources);
      this.largeObjectWorkers = new LargeObjectWorkers({
        ...parts,
        readers: this.core.readers,
        webhooks: this.webhooks.caller,
        threads,
        grants,
        authorizer,
        ownPlaces,
        definitions,
      });
    }
    this.customResources = customResources({
      resources: this.core.resources,
      storage: this.storages.definitions,
      schema: this.core.schema,
      vocabulary,
      loop: this.loop,
      logger,
      largeObjectWorkers: this.largeObjectWorkers,
      converterFor:
        seams.converters ??
        sharedConversionWebhooks(
          { resolve: servicesOf(config, this.storages), guard: ownPlaces, vocabulary, metrics },
          this.largeObjectWorkers,
        ),
    });
    this.authenticationInfo = new AuthenticationInfo({
      ...{ config, vocabulary, logger },
      storage: this.storages.configMaps,
      authorities: () => tls.authorities(),
      nowMs: Date.now,
    });
    this.legacyTokens = new LegacyTokens({ ...parts, storages: this.storages });
    this.aggregation = new Aggregation({
      ...parts,
      storages: this.storages,
      routes: this.core.routes,
      ownPlaces,
      trusted: () => this.authenticationInfo.trusted,
    });
    this.gate.goawayChance = config["goaway-chance"];
    this.records = new RequestRecords(metrics);
    this.deprecated = new DeprecatedRequests(metrics, vocabulary);
    const stopping = () => this.gate.state !== "serving" && !this.isReplaced;
    const autoregistered = () => {
      const missing = this.aggregation.missing();
      if (missing.length > 0) throw new Error(`missing APIService: [${missing.join(" ")}]`);
    };
    this.health = healthOfServer({
      ...{ config, vocabulary, stores, logger, stopping, autoregistered },
      release: settings.release,
      registry: this.registry,
      notes: (isKnown) => this.webhooks.notes(isKnown),
      others: parts.encryption?.checks ?? [],
      fairness: settings.fairness && this.storages.flowControl !== undefined,
    });
    const { control, flowControl } = inFlightOf(parts, this.storages.flowControl, this.loop);
    this.flowControl = flowControl;
    this.limits = new ConnectionLimits({ config, logger, metrics, inFlight: control });
    this.startSequence = new StartSequence({
      stores,
      vocabulary,
      release: settings.release,
      prefix: config["etcd-prefix"],
      registry: this.registry,
      storages: this.storages,
      decidedBy: [this.rbac, this.nodeObjects],
      flowControl,
      admission: this.core.readers,
      customResources: this.customResources,
      aggregation: this.aggregation,
      authenticationInfo: this.authenticationInfo,
      legacyTokens: this.legacyTokens,
      hooks: this.health.hooks,
      logger,
    });
    this.goneResources = new GoneResources({
      metrics,
      byRoute: [this.records, this.deprecated],
      isServed: ({ group, plural }) => this.core.routes.of({ group, resource: plural }).length > 0,
    });
    this.core.resources.onRemoved = (definition) => this.goneResources.add(definition);
    this.figures = new PolledFigures({
      metrics,
      stores: [
        { store, endpoint: config["etcd-servers"][0] ?? settings.store },
        ...others.map((other) => ({ store: other, endpoint: other.endpoints[0]?.url ?? "" })),
      ],
      storages: () => this.core.resources.storages(),
      countEveryMs: config["etcd-count-metric-poll-period"],
      sizeEveryMs: config["etcd-db-metric-poll-interval"],
    });
    this.ownService = ownServiceOf(parts, { storages: this.storages, place: this.place, securePort: () => this.port });
    this.allocationRepair = new AllocationRepair({ ...this.storages, vocabulary, now: Date.now }, logger, () =>
      this.health.hooks.allocationRepair.done(),
    );
    this.migration = openMigration({
      ...{ vocabulary, storages: this.storages, logger, metrics, largeObjectWorkers: this.largeObjectWorkers },
      ...{ resources: this.core.resources, routes: this.core.routes },
      clock: seams.clock ?? systemClock,
      rate: config["storage-migration-rate"],
      address: () => this.place.text,
      worker: parts.identity?.number,
    });
    this.authentication = authenticationMethods({
      ...{ config, settings, vocabulary, storages: this.storages, accountKeys: this.accountKeys },
      authorities: tls.authorities(),
      anonymousAllowed: settings.anonymous && !parts.authorization.allowsEverything,
      localToken: parts.localToken,
      opened: parts.authentication,
      isRevoked: parts.revocation?.isRevoked,
      lastUses: this.legacyTokens.lastUses,
      logger,
      metrics,
    });
    const acknowledged = new AcknowledgedWrites({
      ...{ vocabulary, flowControl, logger },
      rbac: this.rbac,
      definitions: this.customResources,
      admission: this.core.readers,
    });
    const endpoint = openHttpEndpoint({
      acknowledged,
      ...{
        parts,
        core: this.core,
        loop: this.loop,
        limits: this.limits,
        largeObjectWorkers: this.largeObjectWorkers,
        gate: this.gate,
      },
      ...{ place: this.place, authentication: this.authentication, authorizer: this.authorizer, grants },
      ...{
        accountKeys: this.accountKeys,
        agentFiles: this.agentFiles,
        ownPlaces,
        trusted: () => this.authenticationInfo.trusted,
        customResources: this.customResources,
      },
      ...{ aggregation: this.aggregation, migration: this.migration, health: this.health, flowControl },
      ...{ records: this.records, deprecated: this.deprecated, isRevoked: this.isRevoked },
      servesObjects: () => this.startSequence.servesObjects,
      rolesInForce: () => this.health.hooks.roles.isDone,
    });
    this.listener = endpoint.listener;
    this.publishedSchema = endpoint.publishedSchema;
    tls.watch((material) => {
      this.authentication.replaceCa(tls.authorities());
      this.authenticationInfo.authoritiesChanged();
      this.listener.replaceTls(material);
    });
    parts.revocation?.watch(() => this.limits.connections.closeWhere(this.isRevoked, "revoked"));
  }

  /** Delay between failing readiness and ending open streams and connections. */
  private delayMs(why: "alone" | Leaving): number {
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

  private watchesEndOverMs(why: "alone" | Leaving): number {
    const leaves = why === "alone" || why === "together";
    return leaves ? this.parts.config["shutdown-watch-termination-grace-period"] : 0;
  }

  private readonly isRevoked = (tls: TLSSocket): boolean => {
    const { revocation } = this.parts;
    const certificate = revocation && tls.getPeerX509Certificate();
    if (certificate === undefined || revocation?.revokes(certificate) !== true) return false;
    // A revoked intermediate certificate does not matter when another chain leads to an authority.
    return !this.authentication.trusts(certificate);
  };

  /** `https://host:port`, as advertised to clients. */
  get url(): string {
    return this.place.url;
  }

  /** Resolves when the port is open. Requests for objects are refused until the start is complete. */
  async listen(): Promise<void> {
    const { config } = this.parts;
    const host = config["bind-address"];
    this.port = await this.listener.listen(config["secure-port"], isUnspecified(host) ? undefined : host);
    this.limits.start();
  }

  /**
   * Handles an uncaught error. An error of one connection closes that connection; otherwise the state of the process is
   * unknown.
   */
  contain(error: unknown): boolean {
    return this.limits.contain(error);
  }

  /** Resolves when the server is ready. @throws WrongVocabularyError, and other errors that a retry cannot solve */
  async becomeReady(): Promise<void> {
    await this.startSequence.run();
    this.publishedSchema.start();
    this.health.hooks.openapi.done();
    await Promise.all([this.ownService.start(), this.allocationRepair.start()]);
    this.policyStatus.start();
    this.migration.migration.start();
    this.upkeep = setInterval(() => this.startSequence.keepObjects(), KEPT_EVERY_MS).unref();
    this.figures.start();
    this.callOffNaming = whenQuiet(() => this.listener.nameAuthorities());
    const { store, otherStores, logger, config } = this.parts;
    const intervalMs = config["etcd-compaction-interval"];
    this.compactors = [store, ...(otherStores?.stores ?? [])].map((each) =>
      startCompactor({ store: each, clock: systemClock, log: logger, intervalMs }),
    );
  }

  /** Number of connections whose clients can be asked to reconnect. */
  get movableConnections(): number {
    return this.limits.connections.movable().length;
  }

  /**
   * Asks a number of clients to reconnect, those with the fewest open requests first. Requests under way are answered
   * before.
   */
  sendOn(count: number): void {
    const movable = [...this.limits.connections.movable()].sort((one, other) => one.open - other.open);
    for (const connection of movable.slice(0, count)) connection.endSoon();
  }

  /**
   * Stops the server: readiness fails at once; after the delay no new connections are accepted, requests under way are
   * completed, and watches end. Safe to call at any time after the constructor.
   * @param why `replaced`: other processes serve the port, so readiness stays and only connections are closed;
   * `orphaned`: the port is already closed and there is no delay
   */
  async stop(why: "alone" | Leaving = "alone"): Promise<void> {
    const { config, logger, tls } = this.parts;
    this.startSequence.stop();
    this.callOffNaming();
    const goesOn = why === "replaced";
    this.isReplaced = goesOn;
    if (goesOn) this.listener.closePort();
    this.gate.state = config["shutdown-send-retry-after"] && !goesOn ? "refusing" : "draining";
    const delayMs = this.delayMs(why);
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    this.allocationRepair.stop();
    this.policyStatus.close();
    await this.migration.migration.stop();
    const offEndpoints = this.ownService.stop(goesOn || this.hasLostStore);
    // Without its store the replica cannot be removed from the endpoints: its lease expires.
    if (!this.hasLostStore) await offEndpoints;
    this.listener.stopAccepting();
    await endOverTime(this.limits.active.longRunning(), {
      overMs: this.watchesEndOverMs(why),
      hasEnded: ({ closed }) => closed,
      end: endStream,
    });
    await this.requestsEnd();
    this.listener.destroy();
    // The last events of connections arrive with their ends.
    await new Promise((resolve) => setImmediate(resolve));
    this.parts.authentication.close();
    await this.parts.audit?.close();
    tls.close();
    this.parts.revocation?.close();
    this.limits.stop();
    this.figures.stop();
    this.goneResources.stop();
    await this.publishedSchema.stop();
    clearInterval(this.upkeep);
    for (const compactor of this.compactors) compactor.stop();
    this.customResources.close();
    this.authentication.stop();
    this.accountKeys.stop();
    this.authenticationInfo.stop();
    await this.legacyTokens.stop();
    await this.aggregation.stop();
    this.largeObjectWorkers?.close();
    this.flowControl?.close();
    this.core.readers.close();
    this.webhooks.close();
    this.rbac.close();
    this.nodeObjects.close();
    this.agentFiles.close();
    this.parts.authorization.close();
    this.parts.remotes.close();
    this.parts.encryption?.close();
    await this.registry
      .close()
      .catch((error: unknown) => logger.warn("the registry did not close cleanly", errorFields(error)));
  }

  /** Whether the store is unreachable, as far as the cache knows. */
  get hasLostStore(): boolean {
    return !this.registry.health().connected;
  }

  private async requestsEnd(): Promise<void> {
    const late = new AbortController();
    let lostForMs = 0;
    const look = setInterval(() => {
      lostForMs = this.hasLostStore ? lostForMs + LOOK_AT_STORE_MS : 0;
      if (lostForMs >= WITHOUT_STORE_MS) late.abort();
    }, LOOK_AT_STORE_MS);
    await this.limits.active.idle(this.parts.config["request-timeout"], LAST_BYTES_MS, late.signal);
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
