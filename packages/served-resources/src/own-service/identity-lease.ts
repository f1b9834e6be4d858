// The identity Lease of a server: it names the replica and the time at which it was last seen. Leases of replicas that
// are gone are deleted. Source: Kubernetes documentation, "Leases", "API server identity"; KEP-1965.
import { createHash, randomUUID } from "node:crypto";
import { isReason, metaOf } from "@orch/machinery";
import type { Logger } from "@orch/observability";
import { errorFields } from "@orch/platform";
import type { ResourceStorage, WriteContext } from "@orch/registry";
import { isObject, type JsonObject, type Vocabulary } from "@orch/schema";
import { serverWrite } from "../serving/own-identity";
import { canonical, createUnlessPresent } from "../serving/own-objects";

export interface IdentityLeaseDeps {
  readonly leases: ResourceStorage;
  readonly vocabulary: Vocabulary;
  readonly hostname: string;
  readonly logger: Logger;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
  /** Called after each round that succeeded. */
  readonly renewed: () => void;
}

const LIFETIME_SECONDS = 3600;
const RENEWED_EVERY_MS = 10_000;
/** Host names that are values of labels too. */
const HOST_LABEL = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,61}[A-Za-z0-9])?$/;

export class IdentityLease {
  private readonly name: string;
  private readonly holder: string;
  private timer: NodeJS.Timeout | undefined;
  private sweptAtMs = 0;

  constructor(private readonly deps: IdentityLeaseDeps) {
    this.name = `apiserver-${createHash("sha256").update(deps.hostname).digest("hex").slice(0, 26)}`;
    this.holder = `${this.name}_${randomUUID()}`;
  }

  /** Renews the lease now and at an interval. The next round retries what failed. */
  start(): Promise<void> {
    this.timer ??= setInterval(() => void this.round(), RENEWED_EVERY_MS).unref();
    return this.round();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async round(): Promise<void> {
    try {
      await this.renew();
      if (this.deps.now() - this.sweptAtMs >= LIFETIME_SECONDS * 1000) await this.sweep();
      this.deps.renewed();
    } catch (error) {
      this.deps.logger.warn("cannot renew the identity lease of this server", errorFields(error));
    }
  }

  private async renew(): Promise<void> {
    const { leases, vocabulary, hostname, now } = this.deps;
    const spec = {
      holderIdentity: this.holder,
      leaseDurationSeconds: LIFETIME_SECONDS,
      // The API has microseconds.
      renewTime: new Date(now()).toISOString().replace("Z", "000Z"),
    };
    const { kind, apiVersion } = leases.definition.storage;
    const { namespaces, labels, labelValues } = vocabulary;
    const key = { namespace: namespaces.system, name: this.name };
    const ownLabels = {
      [labels.apiserverIdentity]: labelValues.apiserver,
      ...(HOST_LABEL.test(hostname) && { [labels.hostname]: hostname }),
    };
    const object = { kind, apiVersion, metadata: { ...key, labels: ownLabels }, spec };
    const existing = await createUnlessPresent(leases, canonical(leases, object), vocabulary);
    if (existing !== undefined) await leases.changeInPlace((lease) => ({ ...lease, spec }), key, this.write());
  }

  /** Deletes the leases of servers that have not been seen for the lifetime of a lease. */
  private async sweep(): Promise<void> {
    const { leases, vocabulary, now } = this.deps;
    const { entries } = await leases.list({
      namespace: vocabulary.namespaces.system,
      read: { kind: "any" },
      selection: {},
      limit: 0,
    });
    for (const entry of entries) {
      const lease = entry.whole();
      const { labels, uid = "" } = metaOf(lease);
      const { apiserverIdentity } = vocabulary.labels;
      if (labels?.[apiserverIdentity] !== vocabulary.labelValues.apiserver || !isExpired(lease, now())) continue;
      const key = { namespace: entry.namespace, name: entry.name };
      await leases.delete(key, { preconditions: { uid } }, this.write()).catch((error: unknown) => {
        if (!isReason(error, "NotFound") && !isReason(error, "Conflict")) throw error;
      });
    }
    this.sweptAtMs = now();
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
