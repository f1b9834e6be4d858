// Aggregated API servers: their registrations, their availability and the proxying of requests; and the APIServices of
// what this server serves itself.
import { setTimeout as pause } from "node:timers/promises";
import { PRIVILEGED_GROUP } from "@orch/auth";
import {
  AutoRegistrar,
  AvailabilityController,
  type AvailableCondition,
  type ClientPair,
  type DialGuard,
  ExtensionServers,
  Registrations,
  sameBackend,
  type TrustedHeaders,
} from "@orch/extensions";
import { type WatchedFiles, watchedPair } from "@orch/http-server";
import { type Logger, queueFigures, type ServerMetrics } from "@orch/observability";
import type { DiscoverySource, DocumentInfo, SchemaSource } from "@orch/openapi";
import { type EgressSelector, errorFields, systemClock } from "@orch/platform";
import { MergedDiscovery, MergedSchema, RemoteApis, ServedRegistrations } from "@orch/proxy";
import type { ResourceRoutes } from "@orch/request";
import type { Vocabulary } from "@orch/schema";
import { type ResourceStorages, serverWrite, servicesOf } from "@orch/served-resources";
import type { ServerConfig } from "@orch/server-config";

export interface AggregationParts {
  readonly config: ServerConfig;
  readonly vocabulary: Vocabulary;
  readonly storages: Pick<ResourceStorages, "registrations" | "services" | "endpoints">;
  readonly routes: ResourceRoutes;
  readonly metrics: ServerMetrics;
  readonly logger: Logger;
  readonly ownAddresses: DialGuard;
  readonly egress: EgressSelector;
  /** Headers by which aggregated API servers may identify a user. */
  readonly trusted: () => TrustedHeaders;
}

export class Aggregation {
  readonly registrations: Registrations;
  readonly servers: ExtensionServers;
  readonly remote: RemoteApis;
  private readonly registrar: AutoRegistrar;
  private readonly keeper: AvailabilityController;
  private readonly pair: WatchedFiles<ClientPair> | undefined;
  private discovery: MergedDiscovery | undefined;
  private schema: MergedSchema | undefined;

  /** @throws Error that names the option for a file that cannot be read */
  constructor(private readonly parts: AggregationParts) {
    const { config, vocabulary, storages, routes, metrics, logger: log } = parts;
    const { services, endpoints, registrations: storage } = storages;
    const wait = (ms: number) => pause(ms, undefined, { ref: false });
    const served = new ServedRegistrations(routes, vocabulary);
    const usual = (name: string) => served.all().get(name);
    const registrations = new Registrations({ storage, vocabulary, log, pause: wait, usual });
    const pair = proxyPair(parts);
    const servers = new ExtensionServers({
      resolve: servicesOf(config, storages),
      guard: parts.ownAddresses,
      clientPair: () => pair?.current,
      dialer: parts.egress.dialer("cluster"),
    });
    const own = { storage, registrations, write: serverWrite(storage, vocabulary), log, pause: wait };
    const registrar = new AutoRegistrar({ ...own, vocabulary, wanted: () => served.all() });
    const keeper = new AvailabilityController({
      ...own,
      services,
      endpoints,
      servers,
      user: { name: vocabulary.users.aggregator, groups: [PRIVILEGED_GROUP] },
      clock: systemClock,
      found: counted(metrics),
      queueMetrics: queueFigures(metrics)("RemoteAvailabilityController"),
    });
    const remoteOf = registrations.remoteOf.bind(registrations);
    const remote = new RemoteApis({
      vocabulary,
      servers,
      remoteOf,
      isAvailable: (registration) => keeper.isAvailable(registration),
      trusted: parts.trusted,
      rejectsRedirects: config["aggregator-reject-forwarding-redirect"],
    });
    routes.elsewhere = remoteOf;
    routes.onChange(() => registrar.wake());
    registrations.onChange((now, before) => {
      if (before === undefined || (now !== undefined && sameBackend(now, before))) return;
      remote.end(before.name);
      if (now?.backend === undefined) servers.forget(before.name);
    });
    this.registrations = registrations;
    this.servers = servers;
    this.remote = remote;
    this.registrar = registrar;
    this.keeper = keeper;
    this.pair = pair;
  }

  /** Resolves when all registrations are known. */
  async start(): Promise<void> {
    await this.registrations.start();
    this.keeper.start();
  }

  /** Registers the group versions that this server serves. Resolves when they are registered. */
  register(): Promise<void> {
    return this.registrar.start();
  }

  /** @param local discovery of this server's own resources */
  discoveryWith(local: DiscoverySource): DiscoverySource {
    const { registrations, servers, parts } = this;
    const { vocabulary, logger } = parts;
    this.discovery = new MergedDiscovery({ local, registrations, servers, vocabulary, logger });
    return this.discovery;
  }

  /** @param local schema of this server's own resources */
  schemaWith(local: SchemaSource, info: DocumentInfo): SchemaSource {
    const { registrations, servers, parts } = this;
    this.schema = new MergedSchema({ local, registrations, servers, logger: parts.logger, info });
    return this.schema;
  }

  /** Names of served group versions that were not yet seen registered. */
  missing(): readonly string[] {
    return this.registrar.missing();
  }

  async stop(): Promise<void> {
    this.discovery?.close();
    this.schema?.close();
    this.registrar.close();
    this.registrations.close();
    this.pair?.close();
    await this.keeper
      .stop()
      .catch((error: unknown) =>
        this.parts.logger.warn("checked the availability of an aggregated API server", errorFields(error)),
      );
    this.servers.close();
  }
}

function proxyPair(parts: AggregationParts): WatchedFiles<ClientPair> | undefined {
  const file = (option: "proxy-client-cert-file" | "proxy-client-key-file") => ({ option, file: parts.config[option] });
  const certificate = file("proxy-client-cert-file");
  return certificate.file === "" ? undefined : watchedPair(certificate, file("proxy-client-key-file"), parts);
}

function counted(metrics: ServerMetrics) {
  const unavailable = metrics.gauge("aggregator_unavailable_apiservice");
  const transitions = metrics.counter("aggregator_unavailable_apiservice_total");
  return (name: string, finding: AvailableCondition | undefined, isNews: boolean): void => {
    if (finding === undefined) {
      unavailable.remove({ name });
      return;
    }
    const isAvailable = finding.status === "True";
    unavailable.set({ name }, isAvailable ? 0 : 1);
    if (isNews && !isAvailable) transitions.inc({ name, reason: finding.reason });
  };
}
