// One API server: everything put together, started, and stopped.
import type { TLSSocket } from "node:tls";
import type { PluginFactory } from "@orch/admission";
import type { Authorizer, LocalToken } from "@orch/auth";
import type { ConverterFactory, ServedDefinitions } from "@orch/extensions";
import { type Clock, errorFields, systemClock } from "@orch/platform";
import { type Compactor, LoopTurns, type Registry, startCompactor } from "@orch/registry";
import type { Vocabulary } from "@orch/schema";
import type { Store } from "@orch/store";
import express from "express";
import type { PluginConfigurations } from "../admission/plugin-configurations";
import type { OpenRemoteServices } from "../admission/remote-services";
import { AdmissionWebhooks } from "../admission/webhooks/admission-webhooks";
import type { AuditSink } from "../audit/audit-event";
import type { OpenAudit } from "../audit/open-audit";
import type { OpenAuthentication } from "../authentication/open-authentication";
import { NodeObjects } from "../authorization/node/node-objects";
import type { OpenAuthorization } from "../authorization/open-authorization";
import { backupHandler } from "../backup/backup-handler";
import { definitionReport } from "../definitions/definition-report";
import { DeprecatedRequests } from "../deprecations/deprecated-requests";
import { deprecationReport } from "../deprecations/deprecation-report";
import { buildText } from "../discovery/build-record";
import { Discovery } from "../discovery/discovery-documents";
import { buildLabels, versionInfo } from "../discovery/version-document";
import { docsHandlers } from "../docs/docs-handler";
import type { ServerConfig } from "../flags/server-flags";
import type { Settings } from "../flags/settings";
import { ISSUER_PATHS, type IssuerDiscovery, isDiscoverable } from "../handlers/issuer-discovery";
import { namedPaths, pathHandlers, treeHandlers } from "../handlers/path-handlers";
import { WatchFlusher } from "../handlers/watch-flusher";
import { httpClassesOf, listenerOf } from "../http/http-classes";
import { SecureListener } from "../http/secure-listener";
import { SideLane } from "../lane/side-lane";
import type { Logger } from "../logging/logger";
import { GoneResources } from "../metrics/gone-resources";
import { PolledFigures } from "../metrics/polled-figures";
import { RequestRecords } from "../metrics/request-records";
import type { ServerMetrics } from "../metrics/server-metrics";
import { PublishedSchema } from "../openapi/published-schema";
import { RouteDocuments } from "../openapi/route-documents";
import { ClaimRepair } from "../own-service/claim-repair";
import { OwnService } from "../own-service/own-service";
import { ReplicaLeases } from "../own-service/replica-leases";
import type { InFlightControl } from "../pipeline/in-flight-control";
import { type InFlightOptions, inFlightControl } from "../pipeline/in-flight-kinds";
import { answerFailure } from "../pipeline/panic-guard";
import { buildPipeline } from "../pipeline/pipeline";
import type { ApiRequest, ApiResponse } from "../pipeline/request-context";
import { requestEntry } from "../pipeline/request-entry";
import { Negotiation } from "../representations/content-negotiation";
import { AnswerForms } from "../representations/forms/answer-forms";
import { PiecePool } from "../representations/forms/piece-writer";
import { tlsVersion } from "../tls/cipher-suites";
import type { ClientRevocation } from "../tls/client-revocation";
import { NodeAgentFiles } from "../tls/node-agent-files";
import { advertisedAddress, isLoopback, isUnspecified } from "../tls/serving-names";
import type { ServingTls } from "../tls/serving-tls";
import { AccessibleNamespaces } from "./accessible-namespaces";
import { type AccountKeys, openAccountKeys } from "./account-keys";
import { Aggregation } from "./aggregation";
import { arrivingDefinitions } from "./arriving-definitions";
import { AuthenticationInfo } from "./authentication-info";
import { type AuthenticationMethods, authenticationMethods } from "./authentication-methods";
import { StartSequence } from "./bootstrap/start-sequence";
import { connectionsOf } from "./connections";
import { customResources, laneDefinitions } from "./custom-resources";
import { Edge, streamsPerConnection } from "./edge";
import { FlowControl } from "./flow-control";
import { healthOfServer, type ServerHealth } from "./health-of-server";
import { sharedConversionWebhooks } from "./large-conversions";
import { PolicyStatus } from "./policy-status";
import { RbacFeeds } from "./rbac-feeds";
import type { ResourceStorages } from "./resource-storages";
import type { ServedResources } from "./served-resources";
import { servicesOf } from "./services";
import { type ServingCore, servingCore } from "./serving-core";

export interface ApiServerParts {
  readonly config: ServerConfig;
  readonly settings: Settings;
  readonly vocabulary: Vocabulary;
  /** Closed by whoever opened it, after the server has stopped. */
  readonly store: Store;
  readonly tls: ServingTls;
  readonly logger: Logger;
  readonly metrics: ServerMetrics;
  readonly configurations: PluginConfigurations;
  /** Closed with the server. */
  readonly remotes: OpenRemoteServices;
  /** Of a user who is let in with it on this machine alone. */
  readonly localToken?: LocalToken | undefined;
  /** Of client certificates. Closed with the server. */
  readonly revocation?: ClientRevocation | undefined;
  /** PEM of a private key that signs service account tokens where no option names one. */
  readonly accountKey?: string | undefined;
  /** Closed with the server. */
  readonly authorization: OpenAuthorization;
  /** Closed with the server. */
  readonly audit?: OpenAudit | undefined;
  /** Closed with the server. */
  readonly authentication: OpenAuthentication;
  readonly seams?: ServerSeams;
}

/** Where tests look at what passes between the server's parts. Each is given what the server has made, and returns what it is to use. */
export interface ServerSeams {
  readonly registry?: (made: Registry) => Registry;
  readonly authorizer?: (made: Authorizer) => Authorizer;
  readonly plugins?: (made: readonly PluginFactory[]) => readonly PluginFactory[];
  /** Who keeps the audit. */
  readonly audit?: readonly AuditSink[];
  /** Called once: by these, resources come and go while the server runs. */
  readonly resources?: (made: ServedResources) => void;
  /** Who converts objects of definitions that name a webhook for it. */
  readonly converters?: ConverterFactory;
  /** By which certificates are made, and made anew. */
  readonly clock?: Clock;
}

const asMade = <Made>(made: Made): Made => made;

/** What every cluster has is made again where somebody deleted it. */
const KEPT_EVERY_MS = 60_000;
/** After the last answer, for clients to read what is on its way. */
const LAST_BYTES_MS = 2000;

export class ApiServer {
  port = 0;
  private readonly loop = new LoopTurns();
  private readonly webhooks: AdmissionWebhooks;
  private readonly core: ServingCore;
  private readonly registry: Registry;
  private readonly storages: ResourceStorages;
  private readonly health: ServerHealth;
  private readonly edge: Edge;
  /** Undefined where the limits of requests in flight apply. */
  private flowControl: FlowControl | undefined;
  private compactor: Compactor | undefined;
  private readonly figures: PolledFigures;
  private upkeep: NodeJS.Timeout | undefined;
  private readonly listener: SecureListener;
  private readonly startSequence: StartSequence;
  private readonly ownService: OwnService;
  private readonly claimRepair: ClaimRepair;
  private readonly policyStatus: PolicyStatus;
  private readonly lane: SideLane | undefined;
  private readonly customResources: ServedDefinitions;
  private readonly aggregation: Aggregation;
  private readonly authenticationInfo: AuthenticationInfo;
  private readonly records: RequestRecords;
  private readonly deprecated: DeprecatedRequests;
  private publishedSchema: PublishedSchema | undefined;
  private readonly goneResources: GoneResources;
  private readonly rbac: RbacFeeds;
  private readonly nodeObjects: NodeObjects;
  private readonly agentFiles: NodeAgentFiles;
  private readonly authorizer: Authorizer;
  private readonly accountKeys: AccountKeys;
  private readonly authentication: AuthenticationMethods;
  private readonly gate = { state: "serving" as "serving" | "draining" | "refusing", goawayChance: 0 };

  constructor(private readonly parts: ApiServerParts) {
    const { config, settings, vocabulary, store, logger, metrics, tls, seams = {} } = parts;
    this.accountKeys = openAccountKeys({ config, vocabulary, logger, metrics, ownKey: parts.accountKey });
    this.webhooks = new AdmissionWebhooks({
      ...{ vocabulary, logger, metrics },
      own: { bindAddress: config["bind-address"], securePort: () => this.port },
      resolve: (service) => servicesOf(config, this.storages)(service),
      followed: (resource) =>
        this.core.readers.objects.followed({ group: vocabulary.groups.admissionregistration, resource }),
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
    this.rbac = new RbacFeeds({
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
      const definitions = laneDefinitions(this.core.routes, () => this.customResources);
      this.lane = new SideLane({
        ...parts,
        readers: this.core.readers,
        webhooks: this.webhooks.caller,
        threads,
        grants,
        authorizer,
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
      lane: this.lane,
      converterFor:
        seams.converters ??
        sharedConversionWebhooks({ resolve: servicesOf(config, this.storages), vocabulary, metrics }, this.lane),
    });
    this.authenticationInfo = new AuthenticationInfo({
      ...{ config, vocabulary, logger },
      storage: this.storages.configMaps,
      authorities: () => tls.authorities(),
      nowMs: Date.now,
    });
    this.aggregation = new Aggregation({
      ...parts,
      storages: this.storages,
      routes: this.core.routes,
      trusted: () => this.authenticationInfo.trusted,
    });
    this.gate.goawayChance = config["goaway-chance"];
    this.records = new RequestRecords(metrics);
    this.deprecated = new DeprecatedRequests(metrics, vocabulary);
    const stopping = () => this.gate.state !== "serving";
    const autoregistered = () => {
      const missing = this.aggregation.missing();
      if (missing.length > 0) throw new Error(`missing APIService: [${missing.join(" ")}]`);
    };
    this.health = healthOfServer({
      ...{ config, vocabulary, store, logger, stopping, autoregistered },
      registry: this.registry,
      notes: (isKnown) => this.webhooks.notes(isKnown),
      fairness: settings.fairness && this.storages.flowControl !== undefined,
    });
    this.edge = new Edge({ config, logger, metrics, inFlight: this.createInFlight() });
    this.startSequence = new StartSequence({
      store,
      vocabulary,
      release: settings.release,
      prefix: config["etcd-prefix"],
      registry: this.registry,
      storages: this.storages,
      decidedBy: [this.rbac, this.nodeObjects],
      flowControl: this.flowControl,
      admission: this.core.readers,
      customResources: this.customResources,
      aggregation: this.aggregation,
      authenticationInfo: this.authenticationInfo,
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
      store,
      storages: () => this.core.resources.storages(),
      countEveryMs: config["etcd-count-metric-poll-period"],
      sizeEveryMs: config["etcd-db-metric-poll-interval"],
      endpoint: config["etcd-servers"][0] ?? settings.store,
    });
    this.ownService = this.createOwnService();
    this.claimRepair = new ClaimRepair({ ...this.storages, vocabulary, now: Date.now }, logger);
    this.authentication = authenticationMethods({
      ...{ config, settings, vocabulary, storages: this.storages, accountKeys: this.accountKeys },
      authorities: tls.authorities(),
      anonymousAllowed: settings.anonymous && !parts.authorization.allowsEverything,
      localToken: parts.localToken,
      opened: parts.authentication,
      isRevoked: parts.revocation?.isRevoked,
      logger,
      metrics,
    });
    this.listener = this.createListener(this.authentication);
    tls.watch((material) => {
      this.authentication.replaceCa(tls.authorities());
      this.authenticationInfo.authoritiesChanged();
      this.listener.replaceTls(material);
    });
    parts.revocation?.watch(() => this.edge.connections.closeWhere(this.isRevoked, "revoked"));
  }

  private createInFlight(): InFlightControl {
    const { config, settings, vocabulary, logger, metrics } = this.parts;
    const options: InFlightOptions = {
      maxReading: config["max-requests-inflight"],
      maxMutating: config["max-mutating-requests-inflight"],
      requestTimeoutMs: config["request-timeout"],
      clock: systemClock,
      later: setImmediate,
      seed: Math.floor(Math.random() * 2 ** 32),
      ...{ metrics, vocabulary },
    };
    const storages = this.storages.flowControl;
    if (!settings.fairness || storages === undefined) return inFlightControl("limits", options);
    const control = inFlightControl("fairness", options);
    const { release } = settings;
    this.flowControl = new FlowControl({ control, storages, vocabulary, release, loop: this.loop, logger });
    return control;
  }

  private readonly isRevoked = (tls: TLSSocket): boolean => {
    const { revocation } = this.parts;
    const certificate = revocation && tls.getPeerX509Certificate();
    return certificate !== undefined && revocation?.revokes(certificate) === true;
  };

  private createOwnService(): OwnService {
    const { config, settings, store, vocabulary, logger } = this.parts;
    const { services, endpoints, endpointSlices } = this.storages;
    const address = advertisedAddress({
      bindAddress: config["bind-address"],
      advertiseAddress: config["advertise-address"],
    });
    // Nobody beyond this machine could use an endpoint of the machine's own.
    const isReachable = config["endpoint-reconciler-type"] !== "none" && !isLoopback(address);
    return new OwnService({
      services,
      endpoints,
      endpointSlices,
      vocabulary,
      logger,
      clusterIp: settings.serviceRanges.addresses[0].at(0),
      securePort: () => this.port,
      leases: isReachable ? new ReplicaLeases(store, config["etcd-prefix"], address) : undefined,
    });
  }

  private createListener({ authenticator, tokens }: AuthenticationMethods) {
    const { schema, routes, admission } = this.core;
    const { edge, lane } = this;
    const { config, settings, vocabulary, store, logger, metrics, tls, audit, seams = {} } = this.parts;
    const { release } = settings;
    const version = versionInfo(vocabulary, release);
    metrics.addInfo(vocabulary.metricsNames.buildInfo, "What this server was built from.", buildLabels(version));
    const { deprecated } = this;
    const deprecations = deprecationReport({
      release,
      requests: deprecated,
      storages: () => this.core.resources.storages(),
    });
    const info = { title: vocabulary.openapiText.product, version: version.gitVersion };
    const build = buildText();
    this.publishedSchema = new PublishedSchema({
      info,
      sources: (signal) => [new RouteDocuments({ schema, release, routes, info, build, signal })],
      logger,
      now: Date.now,
    });
    const pathDeps = {
      metrics,
      deprecations,
      definitions: definitionReport({ definitions: () => this.customResources, loop: this.loop }),
      backup: backupHandler({ store, logger }),
      version,
      publishedSchema: this.aggregation.schemaWith(this.publishedSchema, info),
      remote: this.aggregation.remote,
      docs: docsHandlers(),
      issuer: this.issuerDiscovery(),
      discovery: () => discovery,
      flowControl: this.flowControl?.pages,
    };
    const paths = pathHandlers(pathDeps);
    const local = new Discovery({
      routes,
      vocabulary,
      serverAddress: () => `${this.advertisedHost()}:${this.port}`,
      otherPaths: () => [...namedPaths(paths), ...this.health.checks.paths()],
    });
    const discovery = this.aggregation.discoveryWith(local);

    const app = express();
    app.set("etag", false);
    app.disable("x-powered-by");
    buildPipeline(app, {
      forms: new AnswerForms({
        schema,
        now: Date.now,
        ...(lane && { elsewhere: (place, what, entry) => lane.make(place, what, entry) }),
      }),
      pieces: new PiecePool(),
      loop: this.loop,
      vocabulary,
      schema,
      release,
      metrics,
      routes,
      flusher: new WatchFlusher((error) => logger.error("watch failed", errorFields(error))),
      minWatchSeconds: config["min-request-timeout"],
      deleteWorkers: config["delete-collection-workers"],
      gates: settings.gates,
      connections: connectionsOf({
        config,
        vocabulary,
        gates: settings.gates,
        storages: this.storages,
        admission,
        agentTls: this.agentFiles,
        logger,
      }),
      random: Math.random,
      deprecatedRequest: ({ context, headers }, route) =>
        deprecated.requested(context, route, headers["user-agent"] ?? ""),
      started: () => this.startSequence.servesObjects,
      discovery,
      remote: this.aggregation.remote,
      awaitDefinitions: arrivingDefinitions({
        storage: this.storages.definitions,
        caughtUp: () => this.customResources.caughtUp(),
      }),
      health: this.health.checks,
      paths,
      trees: treeHandlers(pathDeps),
      authenticator,
      changedFieldsKey: config["audit-changed-fields"] ? vocabulary.auditAnnotations.auditChangedFields : undefined,
      auditSinks: [...(audit === undefined ? [] : [audit.sink]), ...(seams.audit ?? [])],
      tokens,
      ownAudiences: this.accountKeys.audiences,
      authorizer: this.authorizer,
      accessible: new AccessibleNamespaces({ authorizer: this.authorizer, grants: this.rbac.grants, routes }),
      ...(lane && { lane }),
      admission,
      logger,
      records: this.records,
      active: edge.active,
      inFlight: edge.inFlight,
      bodies: edge.bodies,
      gate: this.gate,
      corsOrigins: settings.corsOrigins,
      transportSecurity: config["strict-transport-security-directives"].join("; "),
    });
    const handshakeErrors = metrics.counter("apiserver_tls_handshake_errors_total");
    return new SecureListener({
      classes: httpClassesOf(app),
      listener: requestEntry({
        negotiation: new Negotiation(schema),
        connections: edge.connections,
        active: edge.active,
        route: listenerOf(app, (request, response, error) =>
          answerFailure(logger, request as ApiRequest, response as ApiResponse, error),
        ),
      }),
      connections: edge.connections,
      failures: edge.failures,
      tls: tls.material(),
      minVersion: tlsVersion(config["tls-min-version"]),
      ciphers: settings.ciphers,
      http2: !config["disable-http2-serving"],
      streamsPerConnection: streamsPerConnection(config),
      requestTimeoutMs: config["request-timeout"],
      idleMs: config["keep-alive-timeout"],
      isRevoked: this.isRevoked,
      handshakeFailed: () => handshakeErrors.inc(),
    });
  }

  private issuerDiscovery(): IssuerDiscovery | undefined {
    const { issuer, issuers, ring } = this.accountKeys;
    const [name = ""] = issuers;
    if (issuer === undefined || !isDiscoverable(name)) return undefined;
    const named = this.parts.config["service-account-jwks-uri"];
    const own = () => `https://${hostInUrl(this.advertisedHost())}:${this.port}${ISSUER_PATHS.keys}`;
    return { issuer: name, keysUri: () => named || own(), keys: () => ring.keys };
  }

  /** Under which clients find the server, without the port. */
  advertisedHost(): string {
    const { config } = this.parts;
    const bindAddress = config["bind-address"];
    const advertiseAddress = config["advertise-address"];
    return config["external-hostname"] || advertisedAddress({ bindAddress, advertiseAddress });
  }

  /** Resolves once the port is open; requests for objects are refused until the start is through. */
  async listen(): Promise<void> {
    const { config } = this.parts;
    const host = config["bind-address"];
    this.port = await this.listener.listen(config["secure-port"], isUnspecified(host) ? undefined : host);
    this.edge.start();
  }

  /**
   * For an error that nobody has caught: whether it was one connection's, which is then closed; if not, nothing is known of the
   * state that the process is in.
   */
  contain(error: unknown): boolean {
    return this.edge.contain(error);
  }

  /** Resolves once the server is ready. @throws WrongVocabularyError, and whatever else no waiting can heal */
  async becomeReady(): Promise<void> {
    await this.startSequence.run();
    await this.ownService.start();
    this.claimRepair.start();
    this.policyStatus.start();
    this.upkeep = setInterval(() => this.startSequence.keepObjects(), KEPT_EVERY_MS).unref();
    this.figures.start();
    this.publishedSchema?.start();
    const { store, logger, config } = this.parts;
    const intervalMs = config["etcd-compaction-interval"];
    this.compactor = startCompactor({ store, clock: systemClock, log: logger, intervalMs });
  }

  /**
   * Readiness fails at once; after the delay no new connections are taken, what is under way is finished, watches end.
   * Safe to call at any time after the constructor.
   */
  async stop(): Promise<void> {
    const { config, logger, tls } = this.parts;
    this.startSequence.stop();
    this.gate.state = config["shutdown-send-retry-after"] ? "refusing" : "draining";
    const delayMs = config["shutdown-delay-duration"];
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    this.claimRepair.stop();
    this.policyStatus.close();
    await this.ownService.stop();
    this.listener.stopAccepting();
    for (const response of this.edge.active.longRunning()) endStream(response);
    await this.edge.active.idle(config["request-timeout"], LAST_BYTES_MS);
    this.listener.destroy();
    // The connections' last events come with their ends.
    await new Promise((resolve) => setImmediate(resolve));
    this.parts.authentication.close();
    await this.parts.audit?.close();
    tls.close();
    this.parts.revocation?.close();
    this.edge.stop();
    this.figures.stop();
    this.goneResources.stop();
    await this.publishedSchema?.stop();
    clearInterval(this.upkeep);
    this.compactor?.stop();
    this.customResources.close();
    this.authentication.stop();
    this.accountKeys.stop();
    this.authenticationInfo.stop();
    await this.aggregation.stop();
    this.lane?.close();
    this.flowControl?.close();
    this.core.readers.close();
    this.webhooks.close();
    this.rbac.close();
    this.nodeObjects.close();
    this.agentFiles.close();
    this.parts.authorization.close();
    this.parts.remotes.close();
    await this.registry
      .close()
      .catch((error: unknown) => logger.warn("the registry did not close", errorFields(error)));
  }
}

const hostInUrl = (host: string): string => (host.includes(":") ? `[${host}]` : host);

function endStream(response: ApiResponse): void {
  const { stream } = response.req.context;
  if (stream === undefined) response.destroy();
  else stream.end();
}
