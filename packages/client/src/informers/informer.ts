// A collection of the server, kept at hand: a store to read from, and handlers that are told of every change.
import type { JsonObject } from "@orch/schema";
import type { WatchEvent } from "../requests/watch-events";
import { type EventHandler, HandlerQueue, type Notification } from "./event-handler";
import { type ListSource, transformed } from "./list-source";
import { byNamespace, byOwnerUid, type IndexFunction } from "./object-index";
import { keyOf, ObjectStore, type ObjectView } from "./object-store";
import { Reflector, type ReflectorDeps } from "./reflector";

export interface InformerOptions<T> {
  /** For the log. */
  readonly name: string;
  /** Beside `namespace` and `ownerUid`, which every informer has. */
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>;
  /** Tells handlers of every object again, this often; 0 or undefined: never. At least a second. */
  readonly resyncMs?: number;
  /**
   * How an object is kept: drop what nobody reads, and memory is saved. Done as each page of a list arrives. Must keep name, namespace, uid and
   * version of its metadata, and the owners where the index `ownerUid` is asked.
   */
  readonly transform?: (object: T) => T;
  /** A watch lasts this long, and up to twice as long. Default: 300. */
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

  /** What is known now. Shared: not to be changed. */
  get store(): ObjectView<T> {
    return this.objects;
  }

  /** The version up to which the store has seen everything. */
  get resourceVersion(): string {
    return this.reflector.resourceVersion;
  }

  /** Whether the store holds the collection, and every handler has been told of all of its first state. */
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

  /**
   * A handler that comes late is told of what is there as added.
   * @returns takes it out again
   */
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
    // The last state, which the event carries, rather than the one before it.
    if (known !== undefined) this.tell({ kind: "deleted", object: event.object, isFinalState: true });
  }

  /** @returns the object's key */
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
