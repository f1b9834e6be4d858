// Providers of one configuration, ready for use, by key of the store.
import type { Clock } from "@orch/platform";
import { historyPrefix, type ResourcePath, splitKey } from "@orch/registry";
import {
  aesCbcProvider,
  aesGcmProvider,
  type EncryptionProvider,
  IDENTITY,
  type KmsTerms,
  secretboxProvider,
  type TransformationObserver,
  ValueProviders,
} from "@orch/store";
import { type EncryptionPlan, type ProviderPlan, providersFor } from "./encryption-plan";

export interface OpenProvidersDeps {
  /** See `ValueProviders`. */
  readonly marker: string;
  /** Prefix of every key of the store. */
  readonly prefix: string;
  readonly clock: Clock;
  readonly observe: TransformationObserver;
  readonly kms: (terms: KmsTerms) => EncryptionProvider;
}

export interface KeyService extends Pick<KmsTerms, "apiVersion"> {
  /** @throws EncryptionError while the service is unavailable */
  check(): Promise<void>;
}

export class OpenProviders {
  /** Key management services, by entry of the configuration. */
  readonly services: KeyService[] = [];
  private readonly made = new Map<ProviderPlan, readonly EncryptionProvider[]>();
  private readonly byResource = new Map<ResourcePath, ValueProviders | undefined>();

  constructor(
    private readonly plan: EncryptionPlan,
    private readonly deps: OpenProvidersDeps,
  ) {
    const services = new Map<string, EncryptionProvider>();
    for (const each of plan.flatMap(({ providers }) => providers)) {
      if (each.kind !== "kms") {
        this.made.set(each, providersOf(each));
        continue;
      }
      const terms = JSON.stringify(each.terms);
      const service = services.get(terms) ?? deps.kms(each.terms);
      services.set(terms, service);
      this.services.push({ apiVersion: each.terms.apiVersion, check: async () => service.check?.() });
      this.made.set(each, [service]);
    }
  }

  /** @returns undefined for values that are stored as plain text */
  readonly of = (key: string): ValueProviders | undefined => {
    const { prefix } = this.deps;
    // The states in the history of a resource are encrypted as its objects are.
    const path = (splitKey(prefix, key) ?? splitKey(historyPrefix(prefix), key))?.path;
    if (path === undefined) return undefined;
    const known = this.byResource.get(path);
    if (known !== undefined || this.byResource.has(path)) return known;
    if (this.byResource.size >= RESOURCES_MAX) this.byResource.clear();
    const found = this.find(path);
    this.byResource.set(path, found);
    return found;
  };

  close(): void {
    for (const provider of [...this.made.values()].flat()) provider.close();
  }

  private find(path: ResourcePath): ValueProviders | undefined {
    const [group = "", resource = ""] = path.split("/");
    const plans = providersFor(this.plan, { group: group === "core" ? "" : group, resource });
    const [first, ...others] = plans.flatMap((each) => this.made.get(each) ?? []);
    return first === undefined ? undefined : new ValueProviders(this.deps, [first, ...others]);
  }
}

/** Maximum number of cached resources: more than are ever served. Keys of the store may contain arbitrary names. */
const RESOURCES_MAX = 10_000;

function providersOf(plan: Exclude<ProviderPlan, { kind: "kms" }>): readonly EncryptionProvider[] {
  switch (plan.kind) {
    case "aescbc":
      return plan.keys.map(aesCbcProvider);
    case "aesgcm":
      return plan.keys.map(aesGcmProvider);
    case "secretbox":
      return plan.keys.map(secretboxProvider);
    case "identity":
      return [IDENTITY];
  }
}
