// Objects that the usage of resource claims depends on: the extended resources of device classes, which are followed
// once a quota limits an extended resource, and the pods that the scheduler has made claims for. Source:
// pkg/quota/v1/evaluator/core/resource_claims.go.
import { ClassResources, extendedClaimOwner, extendedResourceName, includesClaim } from "@orch/apis";
import type { Informer, InformerFactory } from "@orch/client";
import { type GroupResource, metaOf, namespaceOf } from "@orch/machinery";
import type { JsonObject, Vocabulary } from "@orch/schema";
import type { CountedView } from "./counted-objects";

export interface ExtendedClaimsOptions {
  readonly vocabulary: Vocabulary;
  readonly factory: InformerFactory;
  /** Returns the cached objects of a resource. */
  view(resource: GroupResource): CountedView;
  /** Called when a class comes, goes or names another extended resource. */
  changed(): void;
}

export class ExtendedClaims {
  private classes: Informer<JsonObject> | undefined;
  private current: ClassResources | undefined;

  constructor(private readonly options: ExtendedClaimsOptions) {}

  /** Returns the extended resources of the classes that exist now. */
  get resources(): ClassResources {
    this.current ??= new ClassResources(this.classes?.store.values() ?? [], this.options.vocabulary);
    return this.current;
  }

  /**
   * Returns whether the usage of the named resources can be calculated. The first extended resource starts the cache of
   * classes.
   */
  isReadyFor(names: Iterable<string>): boolean {
    if (this.classes === undefined) {
      if (!namesExtended(names)) return true;
      this.classes = this.follow();
    }
    return this.classes.hasSynced;
  }

  /** Returns the pod whose usage includes that of a claim. */
  podOf(claim: JsonObject): JsonObject | undefined {
    const { vocabulary } = this.options;
    const owner = extendedClaimOwner(claim, vocabulary);
    const pods = this.options.view({ group: "", resource: "pods" });
    if (owner === undefined || pods.kind !== "known") return undefined;
    const pod = pods.find(namespaceOf(claim), owner.name);
    if (pod === undefined || metaOf(pod).uid !== owner.uid) return undefined;
    const claims = this.options.view({ group: vocabulary.groups.resource, resource: "resourceclaims" });
    const others = () => (claims.kind === "known" ? claims.includedBy(owner.uid) : []);
    return includesClaim(pod, claim, others) ? pod : undefined;
  }

  private follow(): Informer<JsonObject> {
    const { factory, vocabulary } = this.options;
    const type = {
      group: vocabulary.groups.resource,
      version: "v1",
      resource: "deviceclasses",
      kind: "DeviceClass",
      namespaced: false,
    };
    const informer = factory.informer<JsonObject>(type);
    const changed = () => {
      this.current = undefined;
      this.options.changed();
    };
    informer.addHandler({
      added: changed,
      updated: (before, after) => {
        if (extendedResourceName(before) !== extendedResourceName(after)) changed();
      },
      deleted: changed,
    });
    return informer;
  }
}

/** Returns whether a quota limits a resource that may be an extended one. */
export function namesExtended(names: Iterable<string>): boolean {
  for (const name of names) if (name.startsWith("requests.") && name.includes("/")) return true;
  return false;
}
