// The endpoint slices of one controller by service, and the writes of a plan.
import { type Client, type Informer, splitKey } from "@orch/client";
import { isCode } from "@orch/machinery";
import { type Vocabulary, vocabularyOf } from "@orch/schema";
import { isOfEndingNamespace } from "../../framework/write-errors";
import { PendingWrites } from "./pending-writes";
import { type Slice, type SliceVersion, sliceType } from "./slice-form";
import type { SlicePlan } from "./slice-plan";

/** Index of slices by their service. */
const BY_SERVICE = "service";
/** Delay before foreign changes of a slice are reverted, which slows down a conflict between two writers. */
const MEND_MS = 1_000;

export interface FollowedSlicesOptions {
  readonly client: Client;
  readonly slices: Informer<Slice>;
  readonly version: SliceVersion;
  /** Value of the managed-by label of the controller's slices. */
  readonly managedBy: string;
}

/** Access to the controller's own slices. Slices of a service with another manager are ignored. */
export class FollowedSlices {
  private readonly own: PendingWrites<Slice>;
  private readonly vocabulary: Vocabulary;

  constructor(private readonly options: FollowedSlicesOptions) {
    this.own = new PendingWrites(options.slices);
    this.vocabulary = vocabularyOf(options.client.vocabulary);
    const key = this.vocabulary.labels.serviceName;
    options.slices.addIndex(BY_SERVICE, (slice) => [`${slice.metadata?.namespace}/${slice.metadata?.labels?.[key]}`]);
  }

  /** @param look called for services whose slices differ from this controller's last write */
  tell(look: (key: string, afterMs: number) => void): void {
    const changed = (slice: Slice) => {
      const key = this.keyOf(slice);
      if (key !== undefined && !this.own.isOwn(key, slice)) look(key, MEND_MS);
    };
    this.options.slices.addHandler({
      added: (slice, isInInitialList) => {
        if (!isInInitialList) changed(slice);
      },
      updated: (before, after) => {
        if (before === after) return;
        changed(after);
        const former = this.keyOf(before);
        if (former !== undefined && former !== this.keyOf(after)) look(former, MEND_MS);
      },
      deleted: (slice) => {
        const key = this.keyOf(slice);
        if (key !== undefined && !this.own.isOwnRemoval(key, slice)) look(key, MEND_MS);
      },
    });
  }

  /**
   * Returns the slices of a service, except those that are being deleted.
   * @returns undefined while the cache does not contain all writes of this controller
   */
  of(key: string): readonly Slice[] | undefined {
    const shown = this.options.slices.store.byIndex(BY_SERVICE, key).filter((slice) => this.keyOf(slice) === key);
    if (this.own.isAhead(key, shown)) return undefined;
    return shown.filter(({ metadata }) => !metadata?.deletionTimestamp);
  }

  /** Yields the services with slices of this controller. */
  *services(): Iterable<string> {
    for (const slice of this.options.slices.store.values()) {
      const key = this.keyOf(slice);
      if (key !== undefined) yield key;
    }
  }

  forget(key: string): void {
    this.own.forget(key);
  }

  /**
   * Carries out a plan.
   * @param trigger time since when the slices are out of date
   * @param makes false: no new slices, because their owner is being deleted
   * @throws StatusError when the server rejects a write
   */
  async write(key: string, plan: SlicePlan, { trigger, makes }: { trigger?: string | undefined; makes: boolean }) {
    const slices = this.access(key);
    const dated = (slice: Slice) => this.dated(slice, trigger);
    try {
      if (makes) for (const slice of plan.create) this.own.written(key, await slices.create(dated(slice)));
    } catch (error) {
      if (isOfEndingNamespace(error)) return;
      throw error;
    }
    for (const slice of plan.update) this.own.written(key, await slices.update(dated(slice)));
    await this.remove(key, plan.remove);
  }

  async remove(key: string, removed: readonly Slice[]): Promise<void> {
    const slices = this.access(key);
    for (const slice of removed) {
      const { name = "", uid = "" } = slice.metadata ?? {};
      try {
        await slices.delete(name, { preconditions: { uid } });
      } catch (error) {
        if (!isCode(error, 404, 409)) throw error;
      }
      this.own.removed(key, slice);
    }
  }

  private keyOf({ metadata }: Slice): string | undefined {
    const { labels } = this.vocabulary;
    const { [labels.endpointsliceManagedBy]: manager, [labels.serviceName]: service } = metadata?.labels ?? {};
    return manager === this.options.managedBy && service ? `${metadata?.namespace}/${service}` : undefined;
  }

  private dated(slice: Slice, trigger: string | undefined): Slice {
    const key = this.vocabulary.annotations.endpointsLastChangeTriggerTime;
    const { [key]: _, ...annotations } = slice.metadata?.annotations ?? {};
    if (trigger !== undefined) annotations[key] = trigger;
    const { annotations: __, ...metadata } = slice.metadata ?? {};
    const said = Object.keys(annotations).length > 0 ? { annotations } : {};
    return { ...slice, metadata: { ...metadata, ...said } };
  }

  private access(key: string) {
    const { client, version } = this.options;
    return client.resource(sliceType(this.vocabulary, version)).namespace(splitKey(key).namespace);
  }
}
