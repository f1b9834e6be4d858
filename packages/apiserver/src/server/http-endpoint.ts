// The HTTP endpoint of the server: the request pipeline, the published documents and the listener.
import type { TLSSocket } from "node:tls";
import { type AuditSink, auditUnread } from "@orch/audit";
import { type Authorizer, originOf } from "@orch/auth";
import type { DialGuard, ServedDefinitions, TrustedHeaders } from "@orch/extensions";
import { httpClassesOf, listenerOf, SecureListener } from "@orch/http-server";
import { Discovery, PublishedSchema, RouteDocuments } from "@orch/openapi";
import { errorFields, systemClock, tlsVersion } from "@orch/platform";
import type { NodeAgentFiles, PeerProxy } from "@orch/proxy";
import type { EventLoopYielder } from "@orch/registry";
import { AnswerForms, type ApiRequest, type ApiResponse, Negotiation, PiecePool } from "@orch/request";
import { existsIn } from "@orch/schema";
import type { AcknowledgedWrites } from "@orch/served-resources";
import { reportedGates, type SignInIssuer } from "@orch/server-config";
import express from "express";
import type { DeprecatedRequests } from "../deprecations/deprecated-requests";
import { deprecationReport } from "../deprecations/deprecation-report";
import { auditHandler, keepsAuditLog } from "../handlers/audit-handler";
import { backupHandler } from "../handlers/backup-handler";
import { clientReport } from "../handlers/client-report";
import { type ConsoleDeps, consoleHandlers, pageForPeople } from "../handlers/console-handler";
import { definitionReport } from "../handlers/definition-report";
import { docsHandlers, EXPLORER_PATH } from "../handlers/docs-handler";
import { pageHandlers } from "../handlers/page-handlers";
import { namedPaths, pathHandlers, treeHandlers } from "../handlers/path-handlers";
import { profileHandlers } from "../handlers/profile-handlers";
import { WatchFlusher } from "../handlers/watch-flusher";
import type { LargeObjectWorkers } from "../large-objects/large-object-workers";
import type { OpenMigration } from "../migration/open-migration";
import { ClientTally } from "../pipeline/client-tally";
import { isOfOwnPage } from "../pipeline/cross-site";
import { answerFailure } from "../pipeline/panic-guard";
import { requestEntry } from "../pipeline/request-entry";
import type { RequestRecords } from "../pipeline/request-records";
import { buildText } from "../version/build-record";
import { buildLabels, type VersionInfo, versionInfo } from "../version/version-document";
import { AccessibleNamespaces } from "./accessible-namespaces";
import type { AccountKeys } from "./account-keys";
import type { AdvertisedAddress } from "./advertised-address";
import type { Aggregation } from "./aggregation";
import type { ApiServerParts } from "./api-server-parts";
import { arrivingDefinitions } from "./arriving-definitions";
import type { AuthenticationMethods } from "./authentication-methods";
import { type ConnectionLimits, streamsPerConnection } from "./connection-limits";
import { connectionsOf } from "./connections";
import type { FlowControl } from "./flow-control";
import type { ServerHealth } from "./health-of-server";
import type { Peers } from "./peers";
import { buildPipeline, type PipelineDeps } from "./pipeline";
import type { RbacInformers } from "./rbac-informers";
import type { ServingCore } from "./serving-core";

export interface HttpEndpointDeps {
  readonly parts: ApiServerParts;
  readonly core: ServingCore;
  readonly loop: EventLoopYielder;
  readonly limits: ConnectionLimits;
  readonly largeObjectWorkers: LargeObjectWorkers | undefined;
  readonly acknowledged: AcknowledgedWrites;
  /** Headers by which a front proxy may identify a user. */
  readonly trusted: () => TrustedHeaders;
  readonly gate: Parameters<typeof buildPipeline>[1]["gate"];
  readonly place: AdvertisedAddress;
  readonly authentication: AuthenticationMethods;
  readonly authorizer: Authorizer;
  readonly grants: RbacInformers["grants"];
  readonly accountKeys: AccountKeys;
  readonly agentFiles: NodeAgentFiles;
  readonly ownAddresses: DialGuard;
  readonly customResources: ServedDefinitions;
  readonly aggregation: Aggregation;
  readonly peers: Peers | undefined;
  readonly migration: OpenMigration;
  readonly health: ServerHealth;
  readonly flowControl: FlowControl | undefined;
  readonly records: RequestRecords;
  readonly deprecated: DeprecatedRequests;
  /** Whether the start has progressed so far that requests for objects are served. */
  readonly servesObjects: () => boolean;
  /** Whether the bootstrap roles exist and are in force. */
  readonly rolesInForce: () => boolean;
  /** Whether the client certificate of a connection is revoked. */
  readonly isRevoked: (tls: TLSSocket) => boolean;
}

export interface HttpEndpoint {
  readonly listener: SecureListener;
  readonly publishedSchema: PublishedSchema;
}

export function openHttpEndpoint(deps: HttpEndpointDeps): HttpEndpoint {
  const { core, parts, aggregation } = deps;
  const { schema, routes } = core;
  const { settings, vocabulary, logger, metrics } = parts;
  const { release } = settings;
  const version = versionInfo(vocabulary, settings);
  metrics.addInfo(vocabulary.metricsNames.buildInfo, "Version of this server and its build.", buildLabels(version));
  const compatible = { emulation: release, min_compat: settings.minCompatibility };
  metrics.gauge("version_info").set({ component: "kube", binary: release, ...compatible }, 1);
  addFeatureMetric(parts);
  const info = { title: vocabulary.openapiText.product, version: version.gitVersion };
  const build = buildText();
  const publishedSchema = new PublishedSchema({
    info,
    sources: (signal) => [new RouteDocuments({ schema, release, routes, info, build, signal })],
    logger,
    now: systemClock.elapsed,
  });
  const pages = pageHandlers({
    vocabulary,
    release,
    version,
    gates: settings.gates,
    config: parts.config,
    paths: () => discovery.paths().paths,
    nowMs: Date.now,
  });
  const clients = new ClientTally();
  const pathDeps = {
    metrics,
    healthIndicators: deps.health.indicators,
    pages,
    deprecations: deprecationReport({
      release,
      requests: deps.deprecated,
      storages: () => core.resources.storages(),
    }),
    audit: auditHandler({ config: parts.config, vocabulary, loop: deps.loop }),
    keepsAudit: keepsAuditLog(parts.config),
    clients: clientReport(clients, deps.limits.active),
    definitions: definitionReport({ definitions: () => deps.customResources, loop: deps.loop }),
    backup: backupHandler({ store: parts.store, etcd: parts.config, logger }),
    migration: deps.migration.handler,
    version,
    publishedSchema: aggregation.schemaWith(publishedSchema, info),
    remote: aggregation.remote,
    docs: docsHandlers(),
    console: parts.config.console ? consoleHandlers(consoleDeps(parts, version)) : undefined,
    issuer: deps.place.issuerDiscovery(deps.accountKeys),
    profiles: parts.config.profiling ? profileHandlers(logger) : undefined,
    discovery: () => discovery,
    flowControl: deps.flowControl?.pages,
  };
  const paths = pathHandlers(pathDeps);
  const local = new Discovery({
    routes,
    vocabulary,
    release: parts.settings.release,
    serverAddress: () => deps.place.text,
    otherPaths: () => [...namedPaths(paths, pathDeps), ...deps.health.checks.paths()],
  });
  const merged = aggregation.discoveryWith(local);
  const discovery = deps.peers?.discovery?.(merged) ?? merged;
  const app = pipelineApp(deps, { discovery, paths, trees: treeHandlers(pathDeps), clients });
  return { listener: listenerBefore(app, deps), publishedSchema };
}

/** Public facts about the server for the console. Programs without credentials learn the same from /version. */
function consoleDeps(parts: ApiServerParts, { gitVersion }: VersionInfo): ConsoleDeps {
  const { vocabulary, config, seams, authentication } = parts;
  return {
    folder: seams?.consoleFolder,
    configuration: () => {
      const issuer = authentication.consoleIssuer();
      const oidc = issuer && consoleSignIn(issuer, config["console-oidc-client-id"]);
      return { vocabulary: vocabulary.name, version: gitVersion, explorer: EXPLORER_PATH, ...(oidc && { oidc }) };
    },
    origins: () => {
      const { url, endpoints } = authentication.consoleIssuer() ?? {};
      const origins = [url, endpoints?.token].map((address) => (address === undefined ? undefined : originOf(address)));
      return [...new Set(origins)].filter((origin) => origin !== undefined);
    },
  };
}

/** The endpoints are those of the issuer's document, which the server has read; until then, the page reads it. */
function consoleSignIn({ url, endpoints }: SignInIssuer, clientId: string) {
  const scopes = ["openid", "profile", "email", ...(endpoints?.offersRefresh ? ["offline_access"] : [])];
  if (endpoints === undefined) return { issuer: url, clientId, scopes };
  const { authorization, token } = endpoints;
  return { issuer: url, clientId, scopes, endpoints: { authorization, token } };
}

/** Source: staging/src/k8s.io/component-base/metrics/prometheus/feature/metrics.go. */
function addFeatureMetric({ config, settings, vocabulary, metrics }: HttpEndpointDeps["parts"]): void {
  const { release, gates } = settings;
  if (!existsIn(REPORTS_FEATURES, release)) return;
  const help = "Stage of each feature gate, and whether it is enabled (1); also of gates without effect.";
  metrics.addConstants({ name: vocabulary.metricsNames.featureEnabled, help, labels: ["name", "stage"] }, () =>
    reportedGates(config["feature-gates"], release, gates).map(({ name, stage, isOn }) => ({
      labels: { name, stage },
      value: isOn ? 1 : 0,
    })),
  );
}

const REPORTS_FEATURES = { since: "1.26" };

type Documents = Pick<Parameters<typeof buildPipeline>[1], "discovery" | "paths" | "trees" | "clients">;

function pipelineApp(deps: HttpEndpointDeps, documents: Documents): ReturnType<typeof express> {
  const { core, parts, loop, limits, largeObjectWorkers, authorizer, deprecated } = deps;
  const { schema, routes, admission, storages } = core;
  const { config, settings, vocabulary, logger, metrics } = parts;
  const app = express();
  app.set("etag", false);
  app.disable("x-powered-by");
  buildPipeline(app, {
    ...documents,
    forms: new AnswerForms({
      schema,
      now: Date.now,
      ...(largeObjectWorkers && { elsewhere: (place, what, entry) => largeObjectWorkers.make(place, what, entry) }),
    }),
    pieces: new PiecePool(),
    loop,
    vocabulary,
    schema,
    release: settings.release,
    tracer: parts.tracer,
    requesters: parts.requesters,
    metrics,
    routes,
    registry: core.registry,
    flusher: new WatchFlusher((error) => logger.error("watch failed", errorFields(error))),
    minWatchSeconds: config["min-request-timeout"],
    deleteWorkers: config["delete-collection-workers"],
    gates: settings.gates,
    connections: connectionsOf({
      ...{ config, vocabulary, storages, admission, authorizer, logger, metrics },
      gates: settings.gates,
      agentTls: deps.agentFiles,
      guard: deps.ownAddresses,
      dialer: parts.egress.dialer("cluster"),
      trusted: deps.trusted,
    }),
    random: Math.random,
    deprecatedRequest: ({ context, headers }, route) =>
      deprecated.requested(context, route, { userAgent: headers["user-agent"] ?? "", isOwnPage: isOfOwnPage(headers) }),
    started: deps.servesObjects,
    rolesInForce: deps.rolesInForce,
    remote: deps.aggregation.remote,
    ...peerParts(deps.peers?.proxy, vocabulary.headers.peerProxied),
    awaitDefinitions: arrivingDefinitions({
      storage: storages.definitions,
      caughtUp: () => deps.customResources.caughtUp(),
    }),
    health: deps.health.checks,
    authenticator: deps.authentication.authenticator,
    changedFieldsKey: config["audit-changed-fields"] ? vocabulary.auditAnnotations.auditChangedFields : undefined,
    auditSinks: auditSinksOf(parts),
    tokens: deps.authentication.tokens,
    ownAudiences: deps.accountKeys.audiences,
    authorizer,
    accessible: new AccessibleNamespaces({ authorizer, grants: deps.grants, routes }),
    ...(largeObjectWorkers && { largeObjectWorkers }),
    acknowledged: deps.acknowledged,
    admission,
    logger,
    records: deps.records,
    active: limits.active,
    inFlight: limits.inFlight,
    bodies: limits.bodies,
    gate: deps.gate,
    corsOrigins: settings.corsOrigins,
    transportSecurity: config["strict-transport-security-directives"].join("; "),
    entryPage: () => pageForPeople(config, parts.seams?.consoleFolder),
  });
  return app;
}

const auditSinksOf = ({ audit, seams = {} }: ApiServerParts): readonly AuditSink[] => [
  ...(audit === undefined ? [] : [audit.sink]),
  ...(seams.audit ?? []),
];

function listenerBefore(
  app: ReturnType<typeof express>,
  { core, parts, limits, isRevoked }: HttpEndpointDeps,
): SecureListener {
  const { config, settings, tls, logger, metrics } = parts;
  const auditSinks = auditSinksOf(parts);
  const handshakeErrors = metrics.counter("apiserver_tls_handshake_errors_total");
  return new SecureListener({
    classes: httpClassesOf(app),
    listener: requestEntry({
      negotiation: new Negotiation(core.schema, parts.settings.gates.CBORServingAndStorage),
      connections: limits.connections,
      active: limits.active,
      route: limits.failures.guarded(
        listenerOf(app, (request, response, error) =>
          answerFailure(logger, request as ApiRequest, response as ApiResponse, error),
        ),
        (_request, response) => void response.destroy(),
      ),
    }),
    connections: limits.connections,
    failures: limits.failures,
    tls: tls.material(),
    minVersion: tlsVersion(config["tls-min-version"]),
    ciphers: settings.ciphers,
    http2: !config["disable-http2-serving"],
    streamsPerConnection: streamsPerConnection(config),
    requestTimeoutMs: config["request-timeout"],
    idleMs: config["keep-alive-timeout"],
    isRevoked,
    unread: auditSinks.length === 0 ? undefined : auditUnread(auditSinks, logger),
    handshakeFailed: () => handshakeErrors.inc(),
  });
}

const peerParts = (
  peerProxy: PeerProxy | undefined,
  forwardedHeader: string,
): Pick<PipelineDeps, "peerProxy" | "peers"> => ({
  peerProxy,
  peers: peerProxy && { find: (of) => peerProxy.peerOf(of), forwardedHeader },
});
