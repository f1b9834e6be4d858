// Claims of pods and pod groups: their creation from templates, reservation and release. Source:
// pkg/controller/resourceclaim/controller.go.
import { builtInTypes, type Client, type EventSink, type ResourceType, splitKey } from "@orch/client";
import { isBeingDeleted, isCode } from "@orch/machinery";
import type { coreV1, JsonObject, resourceV1, Vocabulary } from "@orch/schema";
import type { DeviceMetrics } from "../../framework/device-metrics";
import { hasAdminAccess } from "./claim-counts";
import {
  type ClaimOwner,
  claimFromTemplate,
  groupAsOwner,
  groupEntryOf,
  groupUser,
  type PodGroup,
  podAsOwner,
} from "./claim-owners";
import {
  claimNameOf,
  groupOf,
  isDone,
  isMadeForAnother,
  isReservedFor,
  madeName,
  ownerOf,
  POD_GROUPS,
  userOf,
} from "./pod-claims";

type Pod = coreV1.Pod;
type Claim = resourceV1.ResourceClaim;
type User = resourceV1.ResourceClaimConsumerReference;

export interface ClaimWorkDeps {
  readonly client: Client;
  readonly events: EventSink;
  readonly devices: DeviceMetrics | undefined;
  readonly vocabulary: Vocabulary;
  readonly caches: Caches;
  /** Type of the pod groups that the server serves. Absent: pods share no claims of their group. */
  readonly groupType: ResourceType<PodGroup> | undefined;
}

/** Most users of a claim. */
const USERS_MAX = 256;

export interface Caches {
  readonly pod: (key: string) => Pod | undefined;
  readonly group: (key: string) => PodGroup | undefined;
  readonly claim: (key: string) => Claim | undefined;
  readonly template: (key: string) => resourceV1.ResourceClaimTemplate | undefined;
  readonly claimsOwnedBy: (uid: string) => readonly Claim[];
}

/** Claim that was made for an entry of a pod or a pod group. */
interface MadeClaim {
  readonly name: string;
  readonly resourceClaimName: string;
}

export class ClaimWork {
  /** Claims that the cache may not show yet, by the uid of the pod and the name of the entry. */
  private readonly created = new Map<string, Claim>();

  constructor(private readonly deps: ClaimWorkDeps) {}

  /**
   * Creates the missing claims of a pod, and reserves allocated ones for a pod that has its node already. Claims that
   * the pod shares with its group are those of the group.
   */
  async pod(key: string): Promise<void> {
    const pod = this.caches.pod(key);
    if (pod === undefined || isBeingDeleted(pod as JsonObject) || isDone(pod)) return;
    const group = this.groupWith(pod);
    // The pod is queued again when its group is there.
    if (group === undefined && this.deps.groupType !== undefined && groupOf(pod) !== undefined) return;
    const made: MadeClaim[] = [];
    for (const entry of this.missing(pod)) {
      const isShared = group !== undefined && groupEntryOf(group, entry) !== undefined;
      const claim = isShared
        ? this.madeFor(group.metadata?.uid ?? "", entry.name)
        : await this.create(podAsOwner(pod), entry);
      if (claim !== undefined) made.push({ name: entry.name, resourceClaimName: claim.metadata?.name ?? "" });
    }
    if (made.length > 0) await this.record(pod, made);
    if (pod.spec?.nodeName) await this.reserve(pod, group);
  }

  /** Creates the missing claims of a pod group. */
  async group(key: string): Promise<void> {
    const group = this.caches.group(key);
    const { groupType, client } = this.deps;
    if (groupType === undefined || group?.metadata === undefined || isBeingDeleted(group as JsonObject)) return;
    const made: MadeClaim[] = [];
    const { namespace = "", name = "", uid = "" } = group.metadata;
    for (const entry of group.spec.resourceClaims ?? []) {
      if (!entry.resourceClaimTemplateName) continue;
      const known = madeName(group, entry.name);
      if (known === "") continue;
      if (known !== undefined && this.isOwned(known, { namespace, uid, entry: entry.name })) continue;
      const claim = await this.create(groupAsOwner(group, groupType), entry);
      made.push({ name: entry.name, resourceClaimName: claim.metadata?.name ?? "" });
    }
    if (made.length === 0) return;
    const patch = { metadata: { uid }, status: { resourceClaimStatuses: made } };
    await client.resource(groupType).namespace(namespace).patch(name, "strategic", patch, { subresource: "status" });
  }

  /** Drops users that are gone, releases the devices of a claim without users, and deletes one that is not needed. */
  async claim(key: string): Promise<void> {
    const claim = this.caches.claim(key);
    if (claim === undefined) return;
    const { namespace } = splitKey(key);
    const users = claim.status?.reservedFor ?? [];
    const remaining: User[] = [];
    for (const user of users) if (await this.uses(namespace, user)) remaining.push(user);
    const isLeft = users.length > 0 && remaining.length === 0;
    const isDeleted = isBeingDeleted(claim as JsonObject) && remaining.length === 0;
    if (remaining.length < users.length || (isDeleted && this.isHeld(claim))) {
      await this.release(claim, remaining, (isLeft || isDeleted) && this.isHeld(claim));
    }
    if (remaining.length === 0) await this.deleteUnneeded(claim);
  }

  private get caches(): Caches {
    return this.deps.caches;
  }

  /** API group of pod groups; undefined: pods have only claims of their own. */
  private get sharing(): string | undefined {
    return this.deps.groupType?.group;
  }

  private access(namespace: string) {
    const { client } = this.deps;
    return client.resource(builtInTypes(client.vocabulary).resourceClaims).namespace(namespace);
  }

  private groupWith(pod: Pod): PodGroup | undefined {
    const name = this.deps.groupType === undefined ? undefined : groupOf(pod);
    return name === undefined ? undefined : this.caches.group(`${pod.metadata?.namespace}/${name}`);
  }

  /** Returns the entries of a pod whose claim is to be created. */
  private missing(pod: Pod): readonly coreV1.PodResourceClaim[] {
    return (pod.spec?.resourceClaims ?? []).filter((entry) => {
      if (!entry.resourceClaimTemplateName) return false;
      const name = claimNameOf(pod, entry);
      if (name === undefined) return true;
      if (name === "") return false;
      const { namespace = "", uid = "" } = pod.metadata ?? {};
      const claim = this.caches.claim(`${namespace}/${name}`);
      if (claim === undefined) return !this.isOwned(name, { namespace, uid, entry: entry.name });
      return isMadeForAnother(pod, claim, this.sharing);
    });
  }

  /** Returns whether a claim exists, in the cache or as the answer of its creation, and belongs to the owner. */
  private isOwned(
    name: string,
    of: { readonly namespace: string; readonly uid: string; readonly entry: string },
  ): boolean {
    const claim = this.caches.claim(`${of.namespace}/${name}`);
    if (claim === undefined) return this.created.get(`${of.uid}/${of.entry}`)?.metadata?.name === name;
    return (
      claim.metadata?.ownerReferences?.some(({ uid, controller }) => controller === true && uid === of.uid) === true
    );
  }

  /** Returns the claim that was made for an entry of a pod or a pod group, whether that is recorded or not. */
  private madeFor(uid: string, entry: string): Claim | undefined {
    const mark = this.deps.vocabulary.annotations.resourcePodClaimName;
    const found = this.caches.claimsOwnedBy(uid).find((claim) => claim.metadata?.annotations?.[mark] === entry);
    return found ?? this.created.get(`${uid}/${entry}`);
  }

  /** Creates a claim, unless an earlier attempt has done so without recording it. */
  private async create(owner: ClaimOwner, entry: coreV1.PodResourceClaim): Promise<Claim> {
    const { namespace, uid, kind, apiVersion, name: ownerName } = owner;
    const { name, resourceClaimTemplateName: templateName = "" } = entry;
    const known = this.madeFor(uid, name);
    if (known !== undefined && (await this.access(namespace).find(known.metadata?.name ?? "")) !== undefined) {
      return known;
    }
    try {
      const template = this.caches.template(`${namespace}/${templateName}`);
      if (template === undefined) throw new Error(`resource claim template "${templateName}" not found`);
      const claim = await this.send(namespace, claimFromTemplate(owner, name, template, this.deps.vocabulary));
      this.remember(`${uid}/${name}`, claim);
      return claim;
    } catch (error) {
      this.deps.events.record({
        type: "Warning",
        reason: "FailedResourceClaimCreation",
        action: "FailedResourceClaimCreation",
        note: `${kind}ResourceClaim ${name}: ${error instanceof Error ? error.message : String(error)}`,
        regarding: { kind, apiVersion, name: ownerName, namespace, uid },
      });
      throw error;
    }
  }

  private async send(namespace: string, claim: Claim): Promise<Claim> {
    const adminAccess = hasAdminAccess(claim);
    let succeeded = false;
    try {
      const created = await this.access(namespace).create(claim);
      succeeded = true;
      return created;
    } finally {
      this.deps.devices?.claimCreated({ succeeded, adminAccess });
    }
  }

  private remember(key: string, claim: Claim): void {
    this.created.set(key, claim);
    const [oldest] = this.created.keys();
    if (this.created.size > CREATED_MAX && oldest !== undefined) this.created.delete(oldest);
  }

  private async record(pod: Pod, resourceClaimStatuses: readonly MadeClaim[]): Promise<void> {
    const { client } = this.deps;
    const { namespace = "", name = "", uid } = pod.metadata ?? {};
    const pods = client.resource(builtInTypes(client.vocabulary).pods).namespace(namespace);
    const patch = { metadata: { uid }, status: { resourceClaimStatuses } };
    await pods.patch(name, "strategic", patch, { subresource: "status" });
  }

  private async reserve(pod: Pod, group: PodGroup | undefined): Promise<void> {
    const { namespace = "" } = pod.metadata ?? {};
    for (const entry of pod.spec?.resourceClaims ?? []) {
      const claim = this.caches.claim(`${namespace}/${claimNameOf(pod, entry) ?? ""}`);
      const { allocation, reservedFor = [] } = claim?.status ?? {};
      if (claim === undefined || !allocation || isBeingDeleted(claim as JsonObject)) continue;
      if (isMadeForAnother(pod, claim, this.sharing)) continue;
      if (reservedFor.length >= USERS_MAX || isReservedFor(pod, claim, this.sharing)) continue;
      const isShared = group !== undefined && groupEntryOf(group, entry) !== undefined;
      const user = isShared ? groupUser(group, this.sharing ?? "") : userOf(pod);
      await this.access(namespace).updateStatus({
        ...claim,
        status: { ...claim.status, reservedFor: [...reservedFor, user] },
      });
    }
  }

  /** Returns whether a user of a claim may still use it. A user that the cache does not show is looked up. */
  private async uses(namespace: string, { apiGroup = "", resource, name, uid }: User): Promise<boolean> {
    const { client, groupType } = this.deps;
    const key = `${namespace}/${name}`;
    if (apiGroup === "" && resource === "pods") {
      const pods = client.resource(builtInTypes(client.vocabulary).pods).namespace(namespace);
      const pod = this.caches.pod(key) ?? (await pods.find(name));
      return pod !== undefined && pod.metadata?.uid === uid && !isDone(pod);
    }
    if (groupType === undefined || apiGroup !== groupType.group || resource !== POD_GROUPS) return true;
    const group = this.caches.group(key) ?? (await client.resource(groupType).namespace(namespace).find(name));
    return group?.metadata?.uid === uid;
  }

  private isHeld({ metadata }: Claim): boolean {
    return metadata?.finalizers?.includes(this.deps.vocabulary.finalizers.resourceDeleteProtection) === true;
  }

  /** An update fails when anything has changed in the meantime, and the claim is looked at again. */
  private async release(claim: Claim, reservedFor: readonly User[], deallocates: boolean): Promise<void> {
    const access = this.access(claim.metadata?.namespace ?? "");
    const { allocation, ...status } = claim.status ?? {};
    const kept = deallocates || allocation === undefined ? {} : { allocation };
    const updated = await access.updateStatus({
      ...claim,
      status: { ...status, ...kept, reservedFor: [...reservedFor] },
    });
    if (!deallocates) return;
    const finalizers = (updated.metadata?.finalizers ?? []).filter(
      (each) => each !== this.deps.vocabulary.finalizers.resourceDeleteProtection,
    );
    await access.update({ ...updated, metadata: { ...updated.metadata, finalizers } });
  }

  /** Deletes a claim that was made for a pod which does not need it. The garbage collector deletes those of others. */
  private async deleteUnneeded(claim: Claim): Promise<void> {
    const owner = ownerOf(claim);
    const { namespace = "", name = "", uid } = claim.metadata ?? {};
    if (owner === undefined || isBeingDeleted(claim as JsonObject)) return;
    const pod = this.caches.pod(`${namespace}/${owner.name}`);
    if (pod === undefined || (pod.metadata?.uid === owner.uid && !isDone(pod))) return;
    try {
      await this.access(namespace).delete(name, uid === undefined ? {} : { preconditions: { uid } });
    } catch (error) {
      if (!isCode(error, 404, 409)) throw error;
    }
  }
}

/** Number of claims to remember until the cache shows them. */
const CREATED_MAX = 1000;
