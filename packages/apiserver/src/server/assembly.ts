// Assembles the parts of one API server, in the order in which they need each other. A part that is made later is
// passed as a function, which is called only once the server runs.

import type { TLSSocket } from "node:tls";
import { featuresOf } from "@orch/apis";
import type { Authorizer } from "@orch/auth";
import type { ServedDefinitions } from "@orch/extensions";
import type { SecureListener } from "@orch/http-server";
import { GoneResources, PolledFigures, type ServerMetrics } from "@orch/observability";
import type { PublishedSchema } from "@orch/openapi";
import { systemClock } from "@orch/platform";
import { NodeAgentFiles } from "@orch/proxy";
import { EventLoopYielder } from "@orch/registry";
import {
  AcknowledgedWrites,
  AllocationRepair,
  type ElectingServer,
  type IdentityLease,
  type OwnService,
  type OwnStorageVersions,
  type ResourceStorages,
  servicesOf,
} from "@orch/served-resources";
import { AdmissionWebhooks } from "@orch/server-admission";
import { DeprecatedRequests } from "../deprecations/deprecated-requests";
import { LargeObjectWorkers } from "../large-objects/large-object-workers";
import { type OpenMigration, openMigration } from "../migration/open-migration";
import { NodeObjects } from "../node-authorization/node-objects";
import { RequestRecords } from "../pipeline/request-records";
import { type AccountKeys, openAccountKeys } from "./account-keys";
import { AdvertisedAddress } from "./advertised-address";
import { Aggregation } from "./aggregation";
import type { ApiServerParts } from "./api-server-parts";
import { AuthenticationInfo } from "./authentication-info";
import { type AuthenticationMethods, authenticationMethods } from "./authentication-methods";
import { StartSequence } from "./bootstrap/start-sequence";
import { ConnectionLimits } from "./connection-limits";
import { customResources, workerDefinitions } from "./custom-resources";
import type { FlowControl } from "./flow-control";
import { healthOfServer, type ServerHealth } from "./health-of-server";
import { openHttpEndpoint } from "./http-endpoint";
import { inFlightOf } from "./in-flight";
import { sharedConversionWebhooks } from "./large-conversions";
import { LegacyTokens } from "./legacy-tokens/legacy-tokens";
import { OwnAddresses } from "./own-addresses";
import { electingServerOf, identityLeaseOf, ownServiceOf, ownStorageVersionsOf } from "./own-service";
import { type Peers, peersOf } from "./peers";
import { PolicyStatus } from "./policy-status";
import { RbacInformers } from "./rbac-informers";
import { type ServiceAddresses, serviceAddressesOf } from "./service-addresses";
import { type ServingCore, servingCore } from "./serving-core";

/** State of a server that its parts read while it runs. */
export interface ServerState {
  /** Port of the listener; 0 before it listens. */
  port: number;
  /** Whether other processes serve the port while this one stops. */
  isReplaced: boolean;
  readonly gate: { state: "serving" | "draining" | "refusing"; goawayChance: number };
}

/** Where clients reach this server, and the keys of the tokens that it issues. */
interface IdentityParts {
  readonly place: AdvertisedAddress;
  readonly accountKeys: AccountKeys;
  readonly ownAddresses: OwnAddresses;
}

/** The resources, with the admission of their objects. */
interface ServingParts {
  readonly loop: EventLoopYielder;
  readonly webhooks: AdmissionWebhooks;
  readonly core: ServingCore;
}

/** The authorizer, and the objects that it decides by. */
interface AccessParts {
  readonly rbac: RbacInformers;
  readonly nodeObjects: NodeObjects;
  readonly authorizer: Authorizer;
}

/** Resources beyond the built-in ones, and the threads that work on large objects. */
interface ExtensionParts {
  readonly largeObjectWorkers: LargeObjectWorkers | undefined;
  readonly customResources: ServedDefinitions;
  readonly authenticationInfo: AuthenticationInfo;
  readonly aggregation: Aggregation;
  readonly legacyTokens: LegacyTokens;
}

/** Health checks, metrics and the control of concurrent requests. */
interface ControlParts {
  readonly health: ServerHealth;
  readonly records: RequestRecords;
  readonly deprecated: DeprecatedRequests;
  readonly goneResources: GoneResources;
  readonly figures: PolledFigures;
  /** Undefined when the in-flight limits apply instead. */
  readonly flowControl: FlowControl | undefined;
  readonly limits: ConnectionLimits;
}

/** Work on stored objects that the server does by itself. */
interface MaintenanceParts {
  readonly startSequence: StartSequence;
  readonly ownService: OwnService;
  /** Undefined in releases without it, and in workers other than the first. */
  readonly identityLease: IdentityLease | undefined;
  /** Undefined when no request is forwarded to other API servers. */
  readonly peers: Peers | undefined;
  /** Undefined without the gate. */
  readonly electingServer: ElectingServer | undefined;
  /** Undefined without the gate. */
  readonly storageVersions: OwnStorageVersions | undefined;
  readonly allocationRepair: AllocationRepair;
  /** Undefined in releases without ServiceCIDRs. */
  readonly serviceAddresses: ServiceAddresses | undefined;
  readonly policyStatus: PolicyStatus;
  readonly migration: OpenMigration;
}

/** The endpoint that clients connect to. */
interface EndpointParts {
  readonly agentFiles: NodeAgentFiles;
  readonly authentication: AuthenticationMethods;
  readonly listener: SecureListener;
  readonly publishedSchema: PublishedSchema;
  /** Whether the client certificate of a connection is revoked. */
  readonly isRevoked: (tls: TLSSocket) => boolean;
}

export type Assembly = IdentityParts &
  ServingParts &
  AccessParts &
  ExtensionParts &
  ControlParts &
  MaintenanceParts &
  EndpointParts;

const asMade = <Made>(made: Made): Made => made;

export function assemble(parts: ApiServerParts, state: ServerState): Assembly {
  const identity = identityParts(parts, state, () => serving.core.storages);
  const serving = servingParts(parts, {
    ...{ state, identity },
    access: () => access,
    aggregation: () => extensions.aggregation,
    startSequence: () => maintenance.startSequence,
  });
  const access = accessParts(parts, serving);
  const extensions = extensionParts(parts, { ...identity, ...serving, ...access });
  const control = controlParts(parts, { state, ...serving, ...extensions });
  const maintenance = maintenanceParts(parts, { state, ...identity, ...serving, ...access, ...extensions, ...control });
  const made = { ...identity, ...serving, ...access, ...extensions, ...control, ...maintenance };
  return { ...made, ...endpointParts(parts, state, made) };
}

function identityParts(
  { config, vocabulary, logger, metrics, accountKey, signer }: ApiServerParts,
  state: ServerState,
  storages: () => ResourceStorages,
): IdentityParts {
  const securePort = () => state.port;
  return {
    place: new AdvertisedAddress(config, securePort),
    accountKeys: openAccountKeys({ config, vocabulary, logger, metrics, ownKey: accountKey, signer }),
    ownAddresses: new OwnAddresses({
      ...{ vocabulary, securePort, storages },
      bindAddress: config["bind-address"],
      advertiseAddress: config["advertise-address"],
    }),
  };
}

interface ServingDeps {
  readonly state: ServerState;
  readonly identity: IdentityParts;
  readonly access: () => AccessParts;
  readonly aggregation: () => Aggregation;
  readonly startSequence: () => StartSequence;
}

function servingParts(parts: ApiServerParts, deps: ServingDeps): ServingParts {
  const { config, settings, vocabulary, logger, metrics, seams = {} } = parts;
  const { state, identity, access, aggregation, startSequence } = deps;
  const loop = new EventLoopYielder();
  const webhooks = new AdmissionWebhooks({
    ...{ vocabulary, logger, metrics, egress: parts.egress },
    own: { bindAddress: config["bind-address"], securePort: () => state.port },
    resolve: (service) => servicesOf(config, core.storages)(service),
    guard: identity.ownAddresses,
    isAggregated: (group, version) => aggregation().registrations.remoteOf(group, version) !== undefined,
    lister: (resource) => core.readers.objects.lister({ group: vocabulary.groups.admissionregistration, resource }),
    storage: (of) => core.resources.find(of),
  });
  const core: ServingCore = servingCore({
    ...parts,
    webhooks: webhooks.caller,
    tokenIssuer: identity.accountKeys,
    settings: { ...settings, plugins: (seams.plugins ?? asMade)(settings.plugins) },
    follows: true,
    loop,
    restored: () => void startSequence().again(),
    access: () => ({ grants: access().rbac.grants, authorizer: access().authorizer }),
    ...(seams.registry === undefined ? {} : { seam: seams.registry }),
  });
  seams.resources?.(core.resources);
  return { loop, webhooks, core };
}

function accessParts(parts: ApiServerParts, { core, loop }: ServingParts): AccessParts {
  const { vocabulary, logger, seams = {} } = parts;
  const { registry, storages } = core;
  const rbac = new RbacInformers({ ...{ vocabulary, logger, registry, loop }, storages: storages.rbac });
  const nodeObjects = new NodeObjects({ ...parts, storages, loop });
  parts.authorization.start({ rbac: rbac.grants, node: () => nodeObjects.used() });
  return { rbac, nodeObjects, authorizer: (seams.authorizer ?? asMade)(parts.authorization) };
}

function extensionParts(
  parts: ApiServerParts,
  { ownAddresses, loop, webhooks, core, rbac, authorizer }: IdentityParts & ServingParts & AccessParts,
): ExtensionParts {
  const { config, settings, vocabulary, logger, metrics, tls, seams = {} } = parts;
  const { storages, resources, schema, routes, readers } = core;
  const threads = config["large-object-threads"];
  const largeObjectWorkers =
    threads > 0
      ? new LargeObjectWorkers({
          ...parts,
          ...{ readers, threads, authorizer, ownAddresses },
          webhooks: webhooks.caller,
          grants: rbac.grants,
          definitions: workerDefinitions(routes, () => definitions),
        })
      : undefined;
  const { egress } = parts;
  const conversion = { resolve: servicesOf(config, storages), guard: ownAddresses, egress, vocabulary, metrics };
  const definitions = customResources({
    ...{ resources, schema, vocabulary, loop, logger, largeObjectWorkers },
    features: featuresOf(settings.release, settings.gates),
    storage: storages.definitions,
    converterFor: seams.converters ?? sharedConversionWebhooks(conversion, largeObjectWorkers),
  });
  const authenticationInfo = new AuthenticationInfo({
    ...{ config, vocabulary, logger },
    storage: storages.configMaps,
    authorities: () => tls.authorities(),
    nowMs: Date.now,
  });
  const trusted = () => authenticationInfo.trusted;
  return {
    ...{ largeObjectWorkers, authenticationInfo },
    customResources: definitions,
    aggregation: new Aggregation({ ...parts, storages, routes, ownAddresses, trusted }),
    legacyTokens: new LegacyTokens({ ...parts, storages }),
  };
}

function controlParts(
  parts: ApiServerParts,
  { state, core, loop, webhooks, aggregation }: { readonly state: ServerState } & ServingParts & ExtensionParts,
): ControlParts {
  const { config, settings, vocabulary, store, logger, metrics } = parts;
  const { registry, storages, resources, routes } = core;
  const records = new RequestRecords(metrics);
  const deprecated = new DeprecatedRequests(metrics, vocabulary);
  const others = parts.otherStores?.stores ?? [];
  const health = healthOfServer({
    ...{ config, vocabulary, logger, registry },
    stores: [store, ...others],
    stopping: () => state.gate.state !== "serving" && !state.isReplaced,
    autoregistered() {
      const missing = aggregation.missing();
      if (missing.length > 0) throw new Error(`missing APIService: [${missing.join(" ")}]`);
    },
    release: settings.release,
    notes: (isKnown) => webhooks.notes(isKnown),
    others: parts.encryption?.checks ?? [],
    fairness: settings.fairness && storages.flowControl !== undefined,
    gates: settings.gates,
  });
  const goneResources = new GoneResources({
    metrics,
    byRoute: [records, deprecated],
    isServed: ({ group, plural }) => routes.of({ group, resource: plural }).length > 0,
  });
  resources.onRemoved = (definition) => goneResources.add(definition);
  const figures = new PolledFigures({
    metrics,
    stores: [
      { store, endpoint: config["etcd-servers"][0] ?? settings.store },
      ...others.map((other) => ({ store: other, endpoint: other.endpoints[0]?.url ?? "" })),
    ],
    storages: () => resources.storages(),
    countEveryMs: config["etcd-count-metric-poll-period"],
    sizeEveryMs: config["etcd-db-metric-poll-interval"],
    cache: () => registry.health(),
    elapsed: () => systemClock.elapsed(),
  });
  metrics.beforeRendering(() => {
    showCacheVersion(metrics, core);
    showHistorySizes(metrics, core);
    showAllocations(core);
  });
  const { control, flowControl } = inFlightOf(parts, storages.flowControl, loop);
  const limits = new ConnectionLimits({ config, logger, metrics, inFlight: control });
  return { health, records, deprecated, goneResources, figures, flowControl, limits };
}

function showAllocations({ allocations, registry, storages }: ServingCore): void {
  const [addresses, ports] = storages.services.definition.allocations?.places ?? [];
  if (addresses !== undefined && ports !== undefined)
    allocations.show({ addresses, ports }, (place) => registry.allocationsHeld(place));
}

function showHistorySizes(metrics: ServerMetrics, { resources }: ServingCore): void {
  const name = "watch_cache_capacity";
  const gauge = metrics.gauge(name);
  for (const { definition, historySize } of resources.storages()) {
    if (historySize === undefined) continue;
    gauge.set(metrics.labelsFor(name, { group: definition.group, resource: definition.plural }), historySize());
  }
}

/** One watch cache holds all resources, so that they have reached the same version. */
function showCacheVersion(metrics: ServerMetrics, { registry, resources }: ServingCore): void {
  const name = "apiserver_watch_cache_resource_version";
  if (!metrics.serves(name)) return;
  const { revision } = registry.health();
  const gauge = metrics.gauge(name);
  for (const { definition } of resources.storages())
    gauge.set(metrics.labelsFor(name, { group: definition.group, resource: definition.plural }), revision % 1e15);
}

type MaintenanceDeps = { readonly state: ServerState } & IdentityParts &
  ServingParts &
  AccessParts &
  ExtensionParts &
  ControlParts;

function maintenanceParts(parts: ApiServerParts, deps: MaintenanceDeps): MaintenanceParts {
  const { config, settings, vocabulary, logger, metrics, seams = {} } = parts;
  const { state, core, loop, place, health, largeObjectWorkers } = deps;
  const { registry, storages, resources, routes } = core;
  const startSequence = new StartSequence({
    ...{ vocabulary, registry, storages, logger },
    stores: [parts.store, ...(parts.otherStores?.stores ?? [])],
    release: settings.release,
    gates: settings.gates,
    prefix: config["etcd-prefix"],
    decidedBy: [deps.rbac, deps.nodeObjects],
    flowControl: deps.flowControl,
    admission: core.readers,
    customResources: deps.customResources,
    aggregation: deps.aggregation,
    authenticationInfo: deps.authenticationInfo,
    legacyTokens: deps.legacyTokens,
    hooks: health.hooks,
  });
  const repaired = () => health.hooks.allocationRepair.done();
  const migration = openMigration({
    ...{ vocabulary, storages, logger, metrics, largeObjectWorkers, resources, routes },
    clock: seams.clock ?? systemClock,
    rate: config["storage-migration-rate"],
    address: () => place.text,
    worker: parts.identity?.number,
  });
  return {
    ...{ startSequence, migration },
    ownService: ownServiceOf(parts, { storages, place, securePort: () => state.port }),
    identityLease: identityLeaseOf(parts, storages, {
      now: Date.now,
      renewed: () => health.hooks.identityLease.done(),
    }),
    peers: peersOf(parts, {
      ...{ place, securePort: () => state.port },
      trusted: () => deps.authenticationInfo.trusted,
    }),
    electingServer: electingServerOf(parts, storages, Date.now),
    storageVersions: ownStorageVersionsOf(parts, storages, {
      now: Date.now,
      definitions: () => resources.storages().map(({ definition }) => definition),
    }),
    serviceAddresses: serviceAddressesOf(parts, storages, Date.now),
    allocationRepair: new AllocationRepair({ ...storages, vocabulary, now: Date.now }, logger, repaired),
    policyStatus: new PolicyStatus({ ...core, ...{ vocabulary, logger, loop } }),
  };
}

function endpointParts(
  parts: ApiServerParts,
  { gate }: ServerState,
  made: Omit<Assembly, keyof EndpointParts>,
): EndpointParts {
  const { config, settings, vocabulary, logger, metrics, tls, authorization, revocation } = parts;
  const { core, rbac, accountKeys, customResources, authenticationInfo, flowControl, health, limits } = made;
  const authentication = authenticationMethods({
    ...{ config, settings, vocabulary, accountKeys, logger, metrics },
    storages: core.storages,
    authorities: tls.authorities(),
    anonymousAllowed: settings.anonymous && !authorization.allowsEverything,
    localToken: parts.localToken,
    opened: parts.authentication,
    isRevoked: revocation?.isRevoked,
    lastUses: made.legacyTokens.lastUses,
  });
  const isRevoked = (socket: TLSSocket): boolean => {
    const certificate = revocation && socket.getPeerX509Certificate();
    if (certificate === undefined || revocation?.revokes(certificate) !== true) return false;
    // A revoked intermediate certificate does not matter when another chain leads to an authority.
    return !authentication.trusts(certificate);
  };
  const agentFiles = new NodeAgentFiles(config, parts);
  const { listener, publishedSchema } = openHttpEndpoint({
    ...made,
    ...{ parts, gate, authentication, agentFiles, isRevoked },
    acknowledged: new AcknowledgedWrites({
      ...{ vocabulary, flowControl, logger, rbac },
      definitions: customResources,
      admission: core.readers,
    }),
    grants: rbac.grants,
    trusted: () => authenticationInfo.trusted,
    servesObjects: () => made.startSequence.servesObjects,
    rolesInForce: () => health.hooks.roles.isDone,
  });
  tls.watch((material) => {
    authentication.replaceCa(tls.authorities());
    authenticationInfo.authoritiesChanged();
    listener.replaceTls(material);
  });
  revocation?.watch(() => limits.connections.closeWhere(isRevoked, "revoked"));
  return { agentFiles, authentication, listener, publishedSchema, isRevoked };
}
