// The objects of one resource, parsed and kept up to date, for those who must decide at once: the cache itself keeps bytes.
import type { ResourceStorage, Watcher } from "@orch/registry";
import type { JsonObject } from "@orch/schema";

const EVENTS_MAX = 500;
const NO_OBJECTS: ReadonlyMap<string, JsonObject> = new Map();

export class ObjectMirror {
  /** Another number whenever an object has changed. */
  version = 0;
  private byNamespace = new Map<string, Map<string, JsonObject>>();
  private watcher: Watcher | undefined;
  private fresh = true;
  private closed = false;

  /** @param storage its cache must be filled before `start` */
  constructor(private readonly storage: ResourceStorage) {}

  async start(): Promise<void> {
    const watcher = await this.storage.watch({
      namespace: "",
      selection: {},
      start: { kind: "any" },
      sendInitialEvents: false,
      bookmarks: false,
      timeoutMs: Number.MAX_SAFE_INTEGER,
      version: this.storage.definition.storage,
    });
    this.byNamespace = new Map();
    this.version += 1;
    this.watcher = watcher;
    this.fresh = false;
    watcher.onReadable(() => {
      this.fresh = false;
      if (watcher.ended !== undefined) this.restart();
    });
    this.refresh();
  }

  get(namespace: string, name: string): JsonObject | undefined {
    this.refresh();
    return this.byNamespace.get(namespace)?.get(name);
  }

  /** @param namespace "" for resources that have none */
  of(namespace: string): Iterable<JsonObject> {
    this.refresh();
    return (this.byNamespace.get(namespace) ?? NO_OBJECTS).values();
  }

  /** Takes what has happened since it was last asked. */
  refresh(): void {
    if (this.fresh || this.watcher === undefined) return;
    this.fresh = true;
    const { storage } = this.storage.definition;
    for (;;) {
      const events = this.watcher.take(EVENTS_MAX);
      for (const event of events) {
        const { type, object } = JSON.parse(event.frame(storage).toString()) as { type: string; object: JsonObject };
        if (type === "ERROR") continue;
        this.apply(type === "DELETED", object);
        this.version += 1;
      }
      if (events.length === 0) break;
    }
    if (this.watcher.ended !== undefined) this.restart();
  }

  close(): void {
    this.closed = true;
    this.watcher?.close();
  }

  private apply(removed: boolean, object: JsonObject): void {
    const { name = "", namespace = "" } = object["metadata"] as { name?: string; namespace?: string };
    const objects = this.byNamespace.get(namespace) ?? new Map<string, JsonObject>();
    this.byNamespace.set(namespace, objects);
    if (removed) objects.delete(name);
    else objects.set(name, object);
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
