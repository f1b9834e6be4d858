// Resource claim controller: creates the claims of pods from their templates, reserves allocated claims for pods that
// got a node without the scheduler, and releases claims that no pod uses any more. Source:
// pkg/controller/resourceclaim/controller.go.
import {
  builtInTypes,
  type Client,
  type EventSink,
  InformerFactory,
  keyOf,
  type QueueMetrics,
  runWorkers,
  splitKey,
  WorkQueue,
} from "@orch/client";
import { isBeingDeleted, isCode } from "@orch/machinery";
import { type coreV1, type JsonObject, type resourceV1, type Vocabulary, vocabularyOf } from "@orch/schema";
import { claimFromTemplate, claimingPod, claimNameOf, claimNamesOf, isDone, ownerOf, userOf } from "./pod-claims";

type Pod = coreV1.Pod;
type Claim = resourceV1.ResourceClaim;
type User = resourceV1.ResourceClaimConsumerReference;

export interface ResourceClaimsContext {
  readonly client: Client;
  readonly events: EventSink;
  readonly workers: number;
  readonly metrics?: (queue: string) => QueueMetrics;
}

/** Most users of a claim. */
const USERS_MAX = 256;
const BY_OWNER = "owner";
const BY_CLAIM = "claim";

/** Runs the controller until the signal is aborted. */
export async function keepResourceClaims(context: ResourceClaimsContext, signal: AbortSignal): Promise<void> {
  const { client, metrics } = context;
  const types = builtInTypes(client.vocabulary);
  const queue = new WorkQueue<string>({ clock: client.clock, metrics: metrics?.("resource_claim") });
  const factory = new InformerFactory(client);
  const pods = factory.informer(types.pods, { transform: claimingPod });
  const claims = factory.informer(types.resourceClaims);
  const templates = factory.informer(types.resourceClaimTemplates);
  claims.addIndex(BY_OWNER, (claim) => {
    const owner = ownerOf(claim);
    return owner === undefined ? [] : [owner.uid];
  });
  pods.addIndex(BY_CLAIM, (pod) => claimNamesOf(pod).map((name) => `${pod.metadata?.namespace}/${name}`));

  const lookAtPod = (pod: Pod, isGone: boolean) => {
    if (!pod.spec?.resourceClaims?.length && !pod.status?.extendedResourceClaimStatus) return;
    if (isGone || isDone(pod))
      for (const name of claimNamesOf(pod)) queue.add(`claim ${pod.metadata?.namespace}/${name}`);
    else if (pod.spec?.resourceClaims?.length) queue.add(`pod ${keyOf(pod)}`);
  };
  pods.addHandler({
    added: (pod) => lookAtPod(pod, false),
    updated: (_before, pod) => lookAtPod(pod, false),
    deleted: (pod) => lookAtPod(pod, true),
  });
  const lookAtClaim = (claim: Claim) => {
    queue.add(`claim ${keyOf(claim)}`);
    for (const pod of pods.store.byIndex(BY_CLAIM, keyOf(claim))) lookAtPod(pod, false);
  };
  const lookAtOwner = (claim: Claim) => {
    const owner = ownerOf(claim);
    if (owner !== undefined) queue.add(`pod ${claim.metadata?.namespace}/${owner.name}`);
  };
  claims.addHandler({ added: lookAtClaim, updated: (_before, claim) => lookAtClaim(claim), deleted: lookAtOwner });
  factory.start(signal);
  await Promise.all([pods, claims, templates].map((informer) => informer.synced(signal))).catch(() => {});

  const work = new ClaimWork(context, vocabularyOf(client.vocabulary), {
    pod: (key) => pods.store.get(key),
    claim: (key) => claims.store.get(key),
    template: (key) => templates.store.get(key),
    claimsOwnedBy: (uid) => claims.store.byIndex(BY_OWNER, uid),
  });
  async function reconcile(item: string): Promise<undefined> {
    const [kind, key = ""] = item.split(" ");
    await (kind === "pod" ? work.pod(key) : work.claim(key));
  }
  await runWorkers({ queue, workers: context.workers, signal, log: client.log, reconcile });
  await factory.stopped();
}

interface Caches {
  readonly pod: (key: string) => Pod | undefined;
  readonly claim: (key: string) => Claim | undefined;
  readonly template: (key: string) => resourceV1.ResourceClaimTemplate | undefined;
  readonly claimsOwnedBy: (uid: string) => readonly Claim[];
}

class ClaimWork {
  /** Claims that the cache may not show yet, by the uid of the pod and the name of the entry. */
  private readonly created = new Map<string, Claim>();

  constructor(
    private readonly context: ResourceClaimsContext,
    private readonly vocabulary: Vocabulary,
    private readonly caches: Caches,
  ) {}

  /** Creates the missing claims of a pod, and reserves allocated ones for a pod that has its node already. */
  async pod(key: string): Promise<void> {
    const pod = this.caches.pod(key);
    if (pod === undefined || isBeingDeleted(pod as JsonObject) || isDone(pod)) return;
    const made: { name: string; resourceClaimName: string }[] = [];
    for (const { name, resourceClaimTemplateName } of this.missing(pod)) {
      const claim = await this.create(pod, name, resourceClaimTemplateName ?? "");
      made.push({ name, resourceClaimName: claim.metadata?.name ?? "" });
    }
    if (made.length > 0) await this.record(pod, made);
    if (pod.spec?.nodeName) await this.reserve(pod);
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

  private access(namespace: string) {
    const { client } = this.context;
    return client.resource(builtInTypes(client.vocabulary).resourceClaims).namespace(namespace);
  }

  /** Returns the entries of a pod whose claim is to be created. */
  private missing(pod: Pod): readonly coreV1.PodResourceClaim[] {
    return (pod.spec?.resourceClaims ?? []).filter((entry) => {
      if (!entry.resourceClaimTemplateName) return false;
      const name = claimNameOf(pod, entry);
      if (name === undefined) return true;
      if (name === "") return false;
      const claim = this.caches.claim(`${pod.metadata?.namespace}/${name}`);
      const isKnown = this.created.get(`${pod.metadata?.uid}/${entry.name}`)?.metadata?.name === name;
      return claim === undefined ? !isKnown : ownerOf(claim)?.uid !== pod.metadata?.uid;
    });
  }

  /** Creates a claim, unless an earlier attempt has done so without recording it. */
  private async create(pod: Pod, name: string, templateName: string): Promise<Claim> {
    const { namespace = "", uid = "" } = pod.metadata ?? {};
    const mark = this.vocabulary.annotations.resourcePodClaimName;
    const found = this.caches.claimsOwnedBy(uid).find((claim) => claim.metadata?.annotations?.[mark] === name);
    const known = found ?? this.created.get(`${uid}/${name}`);
    if (known !== undefined && (await this.access(namespace).find(known.metadata?.name ?? "")) !== undefined) {
      return known;
    }
    try {
      const template = this.caches.template(`${namespace}/${templateName}`);
      if (template === undefined) throw new Error(`resource claim template "${templateName}" not found`);
      const claim = await this.access(namespace).create(claimFromTemplate(pod, name, template, this.vocabulary));
      this.remember(`${uid}/${name}`, claim);
      return claim;
    } catch (error) {
      this.context.events.record({
        type: "Warning",
        reason: "FailedResourceClaimCreation",
        action: "FailedResourceClaimCreation",
        note: `PodResourceClaim ${name}: ${error instanceof Error ? error.message : String(error)}`,
        regarding: { kind: "Pod", apiVersion: "v1", name: pod.metadata?.name ?? "", namespace, uid },
      });
      throw error;
    }
  }

  private remember(key: string, claim: Claim): void {
    this.created.set(key, claim);
    const [oldest] = this.created.keys();
    if (this.created.size > CREATED_MAX && oldest !== undefined) this.created.delete(oldest);
  }

  private async record(pod: Pod, resourceClaimStatuses: readonly object[]): Promise<void> {
    const { client } = this.context;
    const { namespace = "", name = "", uid } = pod.metadata ?? {};
    const pods = client.resource(builtInTypes(client.vocabulary).pods).namespace(namespace);
    const patch = { metadata: { uid }, status: { resourceClaimStatuses } };
    await pods.patch(name, "strategic", patch, { subresource: "status" });
  }

  private async reserve(pod: Pod): Promise<void> {
    const { namespace = "", uid } = pod.metadata ?? {};
    for (const entry of pod.spec?.resourceClaims ?? []) {
      const claim = this.caches.claim(`${namespace}/${claimNameOf(pod, entry) ?? ""}`);
      const { allocation, reservedFor = [] } = claim?.status ?? {};
      if (claim === undefined || !allocation || isBeingDeleted(claim as JsonObject)) continue;
      if (reservedFor.length >= USERS_MAX || reservedFor.some((user) => user.uid === uid)) continue;
      await this.access(namespace).updateStatus({
        ...claim,
        status: { ...claim.status, reservedFor: [...reservedFor, userOf(pod)] },
      });
    }
  }

  /** Returns whether a user of a claim may still use it. A pod that the cache does not show is looked up. */
  private async uses(namespace: string, { apiGroup = "", resource, name, uid }: User): Promise<boolean> {
    if (apiGroup !== "" || resource !== "pods") return true;
    const { client } = this.context;
    const pods = client.resource(builtInTypes(client.vocabulary).pods).namespace(namespace);
    const pod = this.caches.pod(`${namespace}/${name}`) ?? (await pods.find(name));
    return pod !== undefined && pod.metadata?.uid === uid && !isDone(pod);
  }

  private isHeld({ metadata }: Claim): boolean {
    return metadata?.finalizers?.includes(this.vocabulary.finalizers.resourceDeleteProtection) === true;
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
      (each) => each !== this.vocabulary.finalizers.resourceDeleteProtection,
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
