// The objects of one resource, parsed and kept up to date, for those who must decide at once: the cache itself keeps bytes.
import { StatusError } from "@orch/machinery";
import { type Entry, follow, type ResourceStorage, type Watcher } from "@orch/registry";
import type { JsonObject } from "@orch/schema";

const EVENTS_MAX = 500;
const NO_OBJECTS: ReadonlyMap<string, JsonObject> = new Map();

export interface MirrorListener {
  /** Told of an object that is not seen here. */
  tooLarge(entry: Entry, why: StatusError): void;
  /** Told when objects may be others than they were. */
  changed(): void;
}

export class ObjectMirror {
  private byNamespace = new Map<string, Map<string, JsonObject>>();
  private watcher: Watcher | undefined;
  private fresh = true;
  private closed = false;

  /** @param storage its cache must be filled before `start` */
  constructor(
    private readonly storage: ResourceStorage,
    private readonly told: MirrorListener,
  ) {}

  async start(): Promise<void> {
    const watcher = await follow(this.storage);
    this.byNamespace = new Map();
    this.watcher = watcher;
    this.fresh = false;
    watcher.onReadable(() => {
      this.fresh = false;
      if (watcher.ended !== undefined) this.restart();
      this.told.changed();
    });
    this.refresh();
    this.told.changed();
  }

  /** @param namespace "" for resources that have none */
  of(namespace: string): Iterable<JsonObject> {
    this.refresh();
    return (this.byNamespace.get(namespace) ?? NO_OBJECTS).values();
  }

  /** Of all namespaces. */
  *all(): Iterable<JsonObject> {
    this.refresh();
    for (const objects of this.byNamespace.values()) yield* objects.values();
  }

  find(namespace: string, name: string): JsonObject | undefined {
    this.refresh();
    return this.byNamespace.get(namespace)?.get(name);
  }

  /** Takes what has happened since it was last asked. */
  refresh(): void {
    if (this.fresh || this.watcher === undefined) return;
    this.fresh = true;
    for (;;) {
      const events = this.watcher.take(EVENTS_MAX);
      for (const event of events) {
        if (!("entry" in event)) continue;
        this.apply(event.type === "DELETED", event.entry);
      }
      if (events.length === 0) break;
    }
    if (this.watcher.ended !== undefined) this.restart();
  }

  close(): void {
    this.closed = true;
    this.watcher?.close();
  }

  private apply(removed: boolean, entry: Entry): void {
    const { namespace, name } = entry;
    const objects = this.byNamespace.get(namespace) ?? new Map<string, JsonObject>();
    this.byNamespace.set(namespace, objects);
    const object = removed ? undefined : this.read(entry);
    if (object === undefined) objects.delete(name);
    else objects.set(name, object);
  }

  /** One that others have stored, and that is too large to be read whole, counts as absent. */
  private read(entry: Entry): JsonObject | undefined {
    try {
      return entry.whole();
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      this.told.tooLarge(entry, error);
      return undefined;
    }
  }

  /** The watch has ended, because the cache was filled anew: begin again from its state. */
  private restart(): void {
    if (this.closed || this.watcher === undefined) return;
    this.watcher = undefined;
    this.start().catch(() => setTimeout(() => this.restartLater(), 1000).unref());
  }

  private restartLater(): void {
    if (!this.closed) this.start().catch(() => setTimeout(() => this.restartLater(), 1000).unref());
  }
}
