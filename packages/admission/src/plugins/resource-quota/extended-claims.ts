// Objects that the usage of resource claims depends on: the extended resources of device classes, and the pod that the
// scheduler has made a claim for. Source: pkg/quota/v1/evaluator/core/resource_claims.go.
import { ClassResources, claimNamedBy, extendedClaimOwner, includesClaim } from "@orch/apis";
import { type AdmissionRequest, type GroupResource, metaOf } from "@orch/machinery";
import type { JsonObject, Vocabulary } from "@orch/schema";
import type { ObjectLister, ObjectReader } from "../../contract/dependencies";

const PODS: GroupResource = { group: "", resource: "pods" };

export class ExtendedClaims {
  /** Extended resources of the classes at the last request. */
  resources: ClassResources;
  private classes: readonly JsonObject[] = [];
  private lister: ObjectLister | undefined;
  private readonly claims: GroupResource;

  constructor(private readonly of: { readonly objects: ObjectReader; readonly vocabulary: Vocabulary }) {
    this.resources = new ClassResources([], of.vocabulary);
    this.claims = { group: of.vocabulary.groups.resource, resource: "resourceclaims" };
  }

  /** Returns whether the request writes a resource claim. */
  concerns({ definition, version, object }: AdmissionRequest): boolean {
    const { group, resource } = this.claims;
    return object !== undefined && definition.plural === resource && version.group === group;
  }

  /** Reads the classes, and returns the pod whose usage includes that of the claim. */
  async podOf({ object: claim = {}, namespace }: AdmissionRequest): Promise<JsonObject | undefined> {
    await this.readClasses();
    const { objects, vocabulary } = this.of;
    const owner = extendedClaimOwner(claim, vocabulary);
    if (owner === undefined) return undefined;
    const pod = await objects.once(PODS, { namespace, name: owner.name });
    if (pod === undefined || metaOf(pod).uid !== owner.uid) return undefined;
    const others = claimNamedBy(pod) === undefined ? await this.claimsOf(owner.uid, namespace) : [];
    return includesClaim(pod, claim, () => others) ? pod : undefined;
  }

  private async readClasses(): Promise<void> {
    const { objects, vocabulary } = this.of;
    this.lister ??= objects.lister({ group: this.claims.group, resource: "deviceclasses" });
    const classes = await this.lister.all();
    if (classes === this.classes) return;
    this.classes = classes;
    this.resources = new ClassResources(classes, vocabulary);
  }

  /** Returns the extended claims that a pod owns. */
  private async claimsOf(uid: string, namespace: string): Promise<readonly JsonObject[]> {
    const { objects, vocabulary } = this.of;
    const found: JsonObject[] = [];
    for await (const { name, owners } of objects.heads(this.claims, namespace)) {
      if (!owners.some((owner) => owner.uid === uid)) continue;
      const claim = await objects.once(this.claims, { namespace, name });
      if (claim !== undefined && extendedClaimOwner(claim, vocabulary)?.uid === uid) found.push(claim);
    }
    return found;
  }
}
