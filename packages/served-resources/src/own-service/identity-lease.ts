// The identity Lease of a server: it names the replica and the time at which it was last seen. Leases of replicas that
// are gone are deleted. Source: Kubernetes documentation, "Leases", "API server identity"; KEP-1965.
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { isReason, metaOf } from "@orch/machinery";
import type { Logger } from "@orch/observability";
import { errorFields } from "@orch/platform";
import type { ObjectKey, ResourceStorage, WriteContext } from "@orch/registry";
import { isObject, type JsonObject, type Vocabulary } from "@orch/schema";
import { serverWrite } from "../serving/own-identity";
import { canonical, createUnlessPresent } from "../serving/own-objects";

export interface IdentityLeaseDeps {
  readonly leases: ResourceStorage;
  readonly vocabulary: Vocabulary;
  /** Name of the Lease, which identifies the server. */
  readonly name: string;
  readonly hostname: string;
  readonly durationSeconds: number;
  readonly renewedEveryMs: number;
  /** Whether a server that stops deletes its Lease. */
  readonly isReleased: boolean;
  readonly logger: Logger;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
  /** Called after each round that succeeded. */
  readonly renewed: () => void;
}

/** Interval at which expired Leases are searched for. */
const SWEPT_EVERY_MS = 3_600_000;
/** Attempts to delete the own lease, and the pause between them. */
const RELEASE_TRIES = 20;
const RELEASE_PAUSE_MS = 50;
/** Host names that are values of labels too. */
const HOST_LABEL = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,61}[A-Za-z0-9])?$/;

export class IdentityLease {
  private readonly holder: string;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private sweptAtMs = 0;

  constructor(private readonly deps: IdentityLeaseDeps) {
    this.holder = `${deps.name}_${randomUUID()}`;
  }

  /** Renews the lease now and at an interval. The next round retries what failed. */
  start(): Promise<void> {
    this.timer ??= setInterval(() => void this.next(), this.deps.renewedEveryMs).unref();
    return this.next();
  }

  /** @param keeps leaves the Lease, as when another process continues the server or the store is away */
  async stop(keeps: boolean): Promise<void> {
    clearInterval(this.timer);
    if (keeps || !this.deps.isReleased || this.timer === undefined) return;
    await this.running;
    await this.release().catch((error: unknown) =>
      this.deps.logger.warn("cannot delete the identity lease of this server", errorFields(error)),
    );
  }

  private next(): Promise<void> {
    this.running ??= this.round().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async round(): Promise<void> {
    try {
      await this.renew();
      if (this.deps.now() - this.sweptAtMs >= SWEPT_EVERY_MS) await this.sweep();
      this.deps.renewed();
    } catch (error) {
      this.deps.logger.warn("cannot renew the identity lease of this server", errorFields(error));
    }
  }

  private async renew(): Promise<void> {
    const { leases, vocabulary, hostname, durationSeconds, now } = this.deps;
    const spec = {
      holderIdentity: this.holder,
      leaseDurationSeconds: durationSeconds,
      // The API has microseconds.
      renewTime: new Date(now()).toISOString().replace("Z", "000Z"),
    };
    const { kind, apiVersion } = leases.definition.storage;
    const { labels, labelValues } = vocabulary;
    const { key } = this;
    const ownLabels = {
      [labels.apiserverIdentity]: labelValues.apiserver,
      ...(HOST_LABEL.test(hostname) && { [labels.hostname]: hostname }),
    };
    const object = { kind, apiVersion, metadata: { ...key, labels: ownLabels }, spec };
    const existing = await createUnlessPresent(leases, canonical(leases, object), vocabulary);
    if (existing === undefined) return;
    const change = (lease: JsonObject) => {
      const metadata = isObject(lease["metadata"]) ? lease["metadata"] : {};
      return { ...lease, metadata: { ...metadata, labels: { ...metaOf(lease).labels, ...ownLabels } }, spec };
    };
    await leases.changeInPlace(change, key, this.write());
  }

  /** Deletes the own lease. Waits for the cache when the lease has changed since: it would stay for its lifetime. */
  private async release(): Promise<void> {
    const { leases } = this.deps;
    for (let tries = 0; tries < RELEASE_TRIES; tries += 1) {
      const held = leases.peek(this.key)?.whole();
      if (held === undefined || !isObject(held["spec"]) || held["spec"]["holderIdentity"] !== this.holder) return;
      if (await this.remove(this.key, held)) return;
      await pause(RELEASE_PAUSE_MS);
    }
  }

  /** Deletes the leases of servers that have not been seen for the lifetime of a lease. */
  private async sweep(): Promise<void> {
    const { leases, vocabulary, now } = this.deps;
    const { labels, labelValues } = vocabulary;
    const { entries } = await leases.list({
      namespace: vocabulary.namespaces.system,
      read: { kind: "any" },
      selection: { labels: (own) => own[labels.apiserverIdentity] === labelValues.apiserver },
      limit: 0,
    });
    for (const entry of entries) {
      const lease = entry.whole();
      if (isExpired(lease, now())) await this.remove({ namespace: entry.namespace, name: entry.name }, lease);
    }
    this.sweptAtMs = now();
  }

  /** Deletes a lease. @returns false when it was changed since it was read, and stays */
  private async remove(key: ObjectKey, read: JsonObject): Promise<boolean> {
    const { uid = "", resourceVersion = "" } = metaOf(read);
    try {
      await this.deps.leases.delete(key, { preconditions: { uid, resourceVersion } }, this.write());
      return true;
    } catch (error) {
      if (isReason(error, "NotFound")) return true;
      if (isReason(error, "Conflict")) return false;
      throw error;
    }
  }

  private get key(): ObjectKey {
    return { namespace: this.deps.vocabulary.namespaces.system, name: this.deps.name };
  }

  private write(): WriteContext {
    return serverWrite(this.deps.leases, this.deps.vocabulary);
  }
}

function isExpired({ spec }: JsonObject, nowMs: number): boolean {
  if (!isObject(spec)) return true;
  const renewedMs = Date.parse(String(spec["renewTime"] ?? ""));
  const lifetime = Number(spec["leaseDurationSeconds"] ?? 0);
  return !(renewedMs + lifetime * 1000 > nowMs);
}
