// Compares the watch cache with the store from time to time. A difference means that a change was lost or applied twice:
// lists and watches would show a state that never was. Source: KEP-4988;
// staging/src/k8s.io/apiserver/pkg/storage/cacher/delegator.go.
import type { ResourceDefinition } from "@orch/machinery";
import type { Clock, EventLoopYielder, Log, RandomSource } from "@orch/platform";
import { orderForm, type Store, StoreError } from "@orch/store";
import type { ResourceCache } from "../cache/resource-cache";
import type { WatchCache } from "../cache/watch-cache";
import { type KeySpace, keySpaceOf, resourcePath } from "../objects/key-layout";

/** Result of one comparison: equal, different, or the store could not be read at the revision of the cache. */
export type ConsistencyStatus = "success" | "failure" | "error";

interface CheckedStore {
  readonly store: Store;
  readonly watchCache: Pick<WatchCache, "epoch" | "revision" | "resources">;
}

export interface ConsistencyChecksParts {
  /** Root of every key. */
  readonly prefix: string;
  readonly clock: Clock;
  readonly loop: EventLoopYielder;
  readonly log: Log;
  readonly chance?: RandomSource;
  readonly stores: () => Iterable<CheckedStore>;
  readonly checked?: ((definition: ResourceDefinition, status: ConsistencyStatus) => void) | undefined;
}

/** Time between two rounds of all resources; up to one half is added, so that replicas do not read at the same time. */
const INTERVAL_MS = 300_000;
const PAGE_KEYS = 500;
const READ_TIMEOUT_MS = 10_000;

export class ConsistencyChecks {
  private cancel: (() => void) | undefined;
  private stopped = false;

  constructor(private readonly parts: ConsistencyChecksParts) {}

  start(): void {
    const { clock, chance = Math.random } = this.parts;
    const round = (): void => {
      this.checkAll().then(
        () => this.start(),
        () => this.start(),
      );
    };
    if (!this.stopped) this.cancel = clock.after(INTERVAL_MS * (1 + chance() / 2), round, { background: true });
  }

  stop(): void {
    this.stopped = true;
    this.cancel?.();
  }

  /** Compares every resource once, one after the other. */
  async checkAll(): Promise<void> {
    for (const checked of this.parts.stores()) {
      for (const cache of checked.watchCache.resources()) {
        if (this.stopped) return;
        await this.check(checked, cache);
        await this.parts.loop.pause();
      }
    }
  }

  private async check(checked: CheckedStore, cache: ResourceCache): Promise<void> {
    let status = await this.compare(checked, cache);
    // An object that could not be read, and was replaced during the comparison, looks like a difference once.
    if (status === "failure") status = await this.compare(checked, cache);
    if (status === undefined || this.stopped) return;
    const { definition } = cache.form;
    if (status !== "error") cache.isConsistent = status === "success";
    if (status === "failure")
      this.parts.log.error("the watch cache differs from the store: restart this server", {
        resource: resourcePath(definition.group, definition.plural),
        revision: checked.watchCache.revision,
      });
    this.parts.checked?.(definition, status);
  }

  /** @returns undefined when there is nothing to compare */
  private async compare(
    { store, watchCache }: CheckedStore,
    cache: ResourceCache,
  ): Promise<ConsistencyStatus | undefined> {
    const { epoch, revision } = watchCache;
    if (revision === 0 || cache.isClosed) return undefined;
    // The tree never changes. It belongs to the revision, because both are read in the same turn.
    const { tree } = cache;
    const { group, plural } = cache.form.definition;
    const keys = keySpaceOf(this.parts.prefix, resourcePath(group, plural));
    let same = 0;
    try {
      for await (const { path, modRevision } of this.keysAt(store, keys, revision)) {
        const entry = tree.get(orderForm(path));
        if (entry?.resourceVersion === modRevision) same += 1;
        else if (entry !== undefined || cache.unreadable.get(path) === undefined) return "failure";
      }
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return this.stopped || error.code === "closed" ? undefined : "error";
    }
    if (watchCache.epoch !== epoch || cache.isClosed) return undefined;
    return same === tree.size ? "success" : "failure";
  }

  private async *keysAt(
    store: Store,
    { start, end }: KeySpace,
    revision: number,
  ): AsyncGenerator<{ readonly path: string; readonly modRevision: number }, void, undefined> {
    for (let from: string | undefined = start; from !== undefined; ) {
      const request = { start: from, end, keysOnly: true, limit: PAGE_KEYS, revision };
      const { items, more } = await store.range(request, { timeoutMs: READ_TIMEOUT_MS });
      for (const { key, modRevision } of items) yield { path: key.slice(start.length), modRevision };
      const last = items.at(-1);
      from = more && last !== undefined ? `${last.key}\0` : undefined;
      await this.parts.loop.pause();
    }
  }
}
