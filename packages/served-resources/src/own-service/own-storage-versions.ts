// The StorageVersions of a server: in which version it stores each built-in resource, and which versions it can read.
// Source: Kubernetes KEP-2339; staging/src/k8s.io/apiserver/pkg/storageversion/manager.go.
import { withCommonEncoding } from "@orch/apis";
import { metaOf, type ResourceDefinition, timestamp } from "@orch/machinery";
import type { Logger } from "@orch/observability";
import { errorFields, pause, systemClock } from "@orch/platform";
import type { ResourceStorage } from "@orch/registry";
import type { internalV1alpha1, JsonObject, Vocabulary } from "@orch/schema";
import { serverWrite } from "../serving/own-identity";
import { canonical, createUnlessPresent } from "../serving/own-objects";

type StorageVersion = internalV1alpha1.StorageVersion;
type OwnEntry = internalV1alpha1.ServerStorageVersion;

export interface OwnStorageVersionsDeps {
  readonly storageVersions: ResourceStorage;
  /** Returns the stored resources of this server. */
  readonly definitions: () => readonly ResourceDefinition[];
  /** Name of the identity Lease of this server. */
  readonly serverId: string;
  readonly vocabulary: Vocabulary;
  readonly logger: Logger;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
}

/** Interval at which deleted entries are written again. */
const KEPT_EVERY_MS = 10 * 60_000;
const RETRY_MS = 1000;
/** Number of objects that are written at the same time. */
const AT_ONCE = 16;

export class OwnStorageVersions {
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(private readonly deps: OwnStorageVersionsDeps) {}

  /** Resolves when all entries are written. No object may be written before in a version that the entries lack. */
  async start(): Promise<void> {
    while (!this.stopped && !(await this.write())) await pause(systemClock, RETRY_MS);
    if (!this.stopped) this.timer = setInterval(() => void this.write(), KEPT_EVERY_MS).unref();
  }

  stop(): void {
    this.stopped = true;
    clearInterval(this.timer);
  }

  /** @returns whether all entries are written */
  private async write(): Promise<boolean> {
    const definitions = this.deps.definitions().filter(({ isCustom }) => isCustom !== true);
    try {
      for (let from = 0; from < definitions.length && !this.stopped; from += AT_ONCE)
        await Promise.all(definitions.slice(from, from + AT_ONCE).map((each) => this.writeOne(each)));
      return true;
    } catch (error) {
      this.deps.logger.warn("cannot write the storage versions of this server", errorFields(error));
      return false;
    }
  }

  private async writeOne(definition: ResourceDefinition): Promise<void> {
    const { storageVersions, vocabulary, serverId, now } = this.deps;
    const { kind, apiVersion } = storageVersions.definition.storage;
    const rules = storageVersions.definition.subresources["status"];
    if (rules === undefined) return;
    const name = `${definition.group === "" ? "core" : definition.group}.${definition.plural}`;
    const object = { kind, apiVersion, metadata: { name }, spec: {} };
    await createUnlessPresent(storageVersions, canonical(storageVersions, object), vocabulary);
    const own = ownEntry(definition, serverId);
    const change = (present: JsonObject): JsonObject => {
      const { status = {} } = present as unknown as StorageVersion;
      const { storageVersions: servers = [] } = status;
      const isListed = servers.some(({ apiServerID }) => apiServerID === serverId);
      const next = isListed
        ? servers.map((server) => (server.apiServerID === serverId ? own : server))
        : [...servers, own];
      const { generation = 0 } = metaOf(present);
      const changed = withCommonEncoding(status, next, { now: timestamp(now()), generation });
      return { ...present, status: changed as unknown as JsonObject };
    };
    const write = { ...serverWrite(storageVersions, vocabulary), subresource: { name: "status", rules } };
    await storageVersions.changeInPlace(change, { namespace: "", name }, write);
  }
}

function ownEntry({ storage, versions, formerVersions = [] }: ResourceDefinition, serverId: string): OwnEntry {
  const served = versions.map(({ apiVersion }) => apiVersion);
  const readable = [storage, ...versions, ...formerVersions].map(({ apiVersion }) => apiVersion);
  return {
    apiServerID: serverId,
    encodingVersion: storage.apiVersion,
    decodableVersions: [...new Set(readable)].sort(),
    servedVersions: [...new Set(served)].sort(),
  };
}
