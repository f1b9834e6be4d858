// The slices that one duty has made, of each service: what there are, and the writes that a plan asks for.
import { type Client, type Informer, splitKey } from "@orch/client";
import { isCode } from "@orch/machinery";
import { type Vocabulary, vocabularyOf } from "@orch/schema";
import { isOfEndingNamespace } from "../../manager/ending-namespace";
import { OwnWrites } from "./own-writes";
import { type Slice, type SliceVersion, sliceType } from "./slice-form";
import type { SlicePlan } from "./slice-plan";

/** Index of slices by the service that they are of. */
const BY_SERVICE = "service";
/** What somebody else has done to a slice is mended after this time: who fights about one does so slowly. */
const MEND_MS = 1_000;

export interface FollowedSlicesOptions {
  readonly client: Client;
  readonly slices: Informer<Slice>;
  readonly version: SliceVersion;
  /** As whom this duty makes them. */
  readonly managedBy: string;
}

/** Slices of a service that are none of this duty's are not there, for it. */
export class FollowedSlices {
  private readonly own: OwnWrites<Slice>;
  private readonly vocabulary: Vocabulary;

  constructor(private readonly options: FollowedSlicesOptions) {
    this.own = new OwnWrites(options.slices);
    this.vocabulary = vocabularyOf(options.client.vocabulary);
    const key = this.vocabulary.labels.serviceName;
    options.slices.addIndex(BY_SERVICE, (slice) => [`${slice.metadata?.namespace}/${slice.metadata?.labels?.[key]}`]);
  }

  /** @param look is told of services whose slices are not as this duty has left them */
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

  /** @returns undefined while the view does not show all that this duty has written; those that are being deleted do not count */
  of(key: string): readonly Slice[] | undefined {
    const shown = this.options.slices.store.byIndex(BY_SERVICE, key).filter((slice) => this.keyOf(slice) === key);
    if (this.own.isAhead(key, shown)) return undefined;
    return shown.filter(({ metadata }) => !metadata?.deletionTimestamp);
  }

  /** All services that have slices of this duty's. */
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
   * @param trigger since when slices are out of date
   * @param makes false: no new ones, for what they are of is being deleted
   * @throws what the server refuses
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
