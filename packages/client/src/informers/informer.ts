// A local copy of a collection of the server: a store to read from, and handlers that receive every change.
import type { JsonObject } from "@orch/schema";
import type { WatchEvent } from "../requests/watch-events";
import { type EventHandler, HandlerQueue, type Notification } from "./event-handler";
import { type ListSource, transformed } from "./list-source";
import { byNamespace, byOwnerUid, type IndexFunction } from "./object-index";
import { keyOf, ObjectStore, type ObjectView } from "./object-store";
import { Reflector, type ReflectorDeps } from "./reflector";

export interface InformerOptions<T> {
  /** Name in the log. */
  readonly name: string;
  /** Additional indexes besides `namespace` and `ownerUid`. */
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>;
  /** Interval of resyncs, which call handlers again for every object; 0 or undefined: never. At least a second. */
  readonly resyncMs?: number;
  /**
   * Transforms each object before it is stored, for example to drop unused fields and save memory. Called as each page
   * of a list arrives. Must keep name, namespace, uid and resource version, and the owner references when the index
   * `ownerUid` is used.
   */
  readonly transform?: (object: T) => T;
  /** Minimum duration of a watch; the maximum is twice as long. Default: 300. */
  readonly watchMinSeconds?: number;
}

const RESYNC_MIN_MS = 1_000;

export class Informer<T extends object = JsonObject> {
  private readonly objects: ObjectStore<T>;
  private readonly reflector: Reflector<T>;
  private readonly queues = new Set<HandlerQueue<T>>();
  private readonly waiting = new Set<() => void>();
  private listed = false;
  private running: Promise<void> | undefined;

  constructor(
    source: ListSource<T>,
    private readonly options: InformerOptions<T>,
    private readonly deps: ReflectorDeps,
  ) {
    this.objects = new ObjectStore<T>({ namespace: byNamespace, ownerUid: byOwnerUid, ...options.indexes });
    const target = {
      replace: (items: readonly T[]) => this.replace(items),
      apply: (event: ChangeEvent<T>) => this.apply(event),
    };
    const { transform } = options;
    const asKept = transform === undefined ? source : transformed(source, transform);
    this.reflector = new Reflector(asKept, target, options, deps);
  }

  /** Returns the store. Its objects are shared and must not be changed. */
  get store(): ObjectView<T> {
    return this.objects;
  }

  /** Resource version up to which the store is complete. */
  get resourceVersion(): string {
    return this.reflector.resourceVersion;
  }

  /** Reports whether the store holds the collection and every handler has handled the initial list. */
  get hasSynced(): boolean {
    if (!this.listed) return false;
    for (const queue of this.queues) if (!queue.hasSynced) return false;
    return true;
  }

  /** Resolves when `hasSynced`. @throws the signal's reason */
  synced(signal?: AbortSignal): Promise<void> {
    if (this.hasSynced) return Promise.resolve();
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const aborted = () => {
        this.waiting.delete(settle);
        reject(signal?.reason);
      };
      const settle = () => {
        signal?.removeEventListener("abort", aborted);
        resolve();
      };
      signal?.addEventListener("abort", aborted, { once: true });
      this.waiting.add(settle);
    });
  }

  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    this.objects.addIndex(name, valuesOf);
  }

  /** Adds a handler. Existing objects are reported to it as added. @returns a function that removes it */
  addHandler(handler: EventHandler<T>): () => void {
    const queue = new HandlerQueue(handler, { log: this.deps.log, synced: () => this.settleWaiting() });
    this.queues.add(queue);
    if (this.listed) {
      for (const object of this.objects.values()) queue.push({ kind: "added", object, isInInitialList: true });
      queue.push({ kind: "synced" });
    }
    return () => {
      this.queues.delete(queue);
      queue.stop();
      this.settleWaiting();
    };
  }

  /** Keeps the store up to date until the signal is aborted. A second call waits for the first. */
  run(signal: AbortSignal): Promise<void> {
    this.running ??= this.runOnce(signal);
    return this.running;
  }

  private async runOnce(signal: AbortSignal): Promise<void> {
    const stopResync = this.startResync();
    try {
      await this.reflector.run(signal);
    } finally {
      stopResync();
    }
  }

  private startResync(): () => void {
    const { resyncMs } = this.options;
    if (!resyncMs) return () => {};
    const everyMs = Math.max(resyncMs, RESYNC_MIN_MS);
    const again = (): void => {
      if (this.listed) {
        for (const object of this.objects.values()) this.tell({ kind: "updated", before: object, after: object });
      }
      cancel = this.deps.clock.after(everyMs, again);
    };
    let cancel = this.deps.clock.after(everyMs, again);
    return () => cancel();
  }

  private replace(items: readonly T[]): void {
    const isInInitialList = !this.listed;
    const gone = new Set(this.objects.keys());
    for (const item of items) gone.delete(this.put(item, isInInitialList));
    for (const key of gone) {
      const object = this.objects.delete(key);
      if (object !== undefined) this.tell({ kind: "deleted", object, isFinalState: false });
    }
    if (!isInInitialList) return;
    this.listed = true;
    this.tell({ kind: "synced" });
    this.settleWaiting();
  }

  private apply(event: ChangeEvent<T>): void {
    if (event.type !== "DELETED") {
      this.put(event.object, false);
      return;
    }
    const known = this.objects.delete(keyOf(event.object));
    // Reports the final state from the event, not the state before it.
    if (known !== undefined) this.tell({ kind: "deleted", object: event.object, isFinalState: true });
  }

  /** Stores an object. @returns its key */
  private put(object: T, isInInitialList: boolean): string {
    const key = keyOf(object);
    const before = this.objects.set(key, object);
    if (before === undefined) this.tell({ kind: "added", object, isInInitialList });
    else if (versionOf(before) !== versionOf(object)) this.tell({ kind: "updated", before, after: object });
    return key;
  }

  private tell(notification: Notification<T>): void {
    for (const queue of this.queues) queue.push(notification);
  }

  private settleWaiting(): void {
    if (!this.hasSynced) return;
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const settle of waiting) settle();
  }
}

type ChangeEvent<T> = Exclude<WatchEvent<T>, { readonly type: "BOOKMARK" }>;

const versionOf = (object: object): unknown =>
  (object as { readonly metadata?: { readonly resourceVersion?: string } }).metadata?.resourceVersion;
