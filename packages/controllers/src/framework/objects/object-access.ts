// API access to objects of any kind by their identity: reads, changes and deletes them.

import type { Client, ResourceClient, ResourceMapper } from "@orch/client";
import { isCode, metaOf, type OwnerReference, type StatusError } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { retryConflicts } from "../write-errors";
import type { Identity } from "./identity";

/**
 * Access to objects. Every method throws UnknownResourceError for a kind that the server does not have, and the errors
 * of requests.
 */
export class ObjectAccess {
  constructor(
    private readonly client: Client,
    private readonly mapper: ResourceMapper,
  ) {}

  async isNamespaced({ apiVersion, kind }: Pick<Identity, "apiVersion" | "kind">): Promise<boolean> {
    return (await this.mapper.forKind(apiVersion, kind)).namespaced;
  }

  /**
   * Reads an object.
   * @returns undefined when it does not exist, or another one has its name
   * @throws StatusError also for a 404 that does not name the object: the absence of a resource says nothing about its
   *   objects
   */
  async read(identity: Identity): Promise<JsonObject | undefined> {
    const objects = await this.collection(identity);
    try {
      const object = await objects.get(identity.name, { part: "metadata", dropsManagedFields: true });
      return metaOf(object).uid === identity.uid ? object : undefined;
    } catch (error) {
      if (isCode(error, 404) && (error as StatusError).details?.name === identity.name) return undefined;
      throw error;
    }
  }

  /** Drops the cached discovery data, so that kinds are looked up again. */
  forgetKinds(): void {
    this.mapper.invalidate();
  }

  /** @param resourceVersion version that must still be the current one; undefined: any */
  async delete(
    { uid, ...identity }: Identity,
    propagationPolicy: "Foreground" | "Background" | "Orphan",
    resourceVersion?: string,
  ): Promise<void> {
    const objects = await this.collection({ uid, ...identity });
    const preconditions = { uid, ...(resourceVersion !== undefined && { resourceVersion }) };
    await unlessGone(objects.delete(identity.name, { propagationPolicy, preconditions }));
  }

  /** Removes the references to these owners. */
  dropReferences(identity: Identity, ownerUids: readonly string[]): Promise<void> {
    const dropped = new Set(ownerUids);
    return this.changeReferences(
      identity,
      ownerUids.map((uid) => ({ $patch: "delete", uid })),
      (references) => references.filter(({ uid }) => !dropped.has(uid ?? "")),
    );
  }

  /** Sets `blockOwnerDeletion` to false, so that the owners no longer wait for the object. */
  unblockOwners(identity: Identity, references: readonly OwnerReference[]): Promise<void> {
    const free = (reference: OwnerReference) => ({ ...reference, blockOwnerDeletion: false });
    const blocking = references.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true);
    return this.changeReferences(
      identity,
      blocking.map(({ uid }) => ({ uid, blockOwnerDeletion: false })),
      (current) => current.map(free),
    );
  }

  async removeFinalizer(identity: Identity, finalizer: string): Promise<void> {
    await this.change(identity, ({ finalizers = [] }) =>
      finalizers.includes(finalizer) ? { finalizers: finalizers.filter((name) => name !== finalizer) } : undefined,
    );
  }

  /**
   * Changes owner references. A strategic merge patch names single references; kinds that do not support it get the
   * whole list.
   */
  private async changeReferences(
    identity: Identity,
    elements: readonly object[],
    changed: (references: readonly OwnerReference[]) => readonly OwnerReference[],
  ): Promise<void> {
    const objects = await this.collection(identity);
    const patch = { metadata: { uid: identity.uid, ownerReferences: elements } };
    try {
      await unlessGone(objects.patch(identity.name, "strategic", patch));
    } catch (error) {
      if (!isCode(error, 415)) throw error;
      await this.change(identity, ({ ownerReferences = [] }) => ({ ownerReferences: changed(ownerReferences) }));
    }
  }

  private async change(
    identity: Identity,
    change: (metadata: ReturnType<typeof metaOf>) => object | undefined,
  ): Promise<void> {
    const objects = await this.collection(identity);
    await retryConflicts(async () => {
      const object = await this.read(identity);
      const fields = object === undefined ? undefined : change(metaOf(object));
      if (object === undefined || fields === undefined) return;
      const { uid, resourceVersion } = metaOf(object);
      await unlessGone(objects.patch(identity.name, "merge", { metadata: { uid, resourceVersion, ...fields } }));
    });
  }

  private async collection({ apiVersion, kind, namespace }: Identity): Promise<ResourceClient> {
    const type = await this.mapper.forKind(apiVersion, kind);
    const all = this.client.resource(type);
    return type.namespaced ? all.namespace(namespace) : all;
  }
}

/** Ignores 404: the object is gone, so that nothing is left to do. */
async function unlessGone(request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (error) {
    if (!isCode(error, 404)) throw error;
  }
}
