// Follows the objects of one resource in the watch cache.
import { errorFields, type Log } from "@orch/platform";
import { type Entry, follow, type ResourceStorage, type Watcher } from "@orch/registry";

export interface FollowerParts {
  readonly storage: ResourceStorage;
  /** The single object to follow. Absent: all objects. */
  readonly only?: { readonly namespace: string; readonly name: string };
  readonly log: Log;
  readonly pause: (ms: number) => Promise<void>;
  /** Called for existing objects and for each change. */
  changed(entry: Entry): void;
  removed(of: Pick<Entry, "namespace" | "name" | "path">): void;
}

const EVENTS = 100;
const RETRY_MS = 1000;

export class EntryFollower {
  private readonly known = new Map<string, Pick<Entry, "namespace" | "name" | "path">>();
  private watcher: Watcher | undefined;
  private closed = false;

  constructor(private readonly parts: FollowerParts) {}

  /** Starts following. Resolves after all existing objects were reported. */
  async start(): Promise<void> {
    const { storage, only } = this.parts;
    const watcher = await follow(storage, {
      namespace: only?.namespace,
      selection: only === undefined ? {} : { fields: [{ field: "metadata.name", operator: "=", value: only.name }] },
    });
    if (this.closed) return watcher.close();
    this.watcher = watcher;
    const gone = new Map(this.known);
    this.take(watcher, (entry, removed) => {
      gone.delete(entry.path);
      this.tell(entry, removed);
    });
    for (const each of gone.values()) this.tell(each, true);
    watcher.onReadable(() => this.read(watcher));
    this.read(watcher);
  }

  close(): void {
    this.closed = true;
    this.watcher?.close();
  }

  private take(watcher: Watcher, each: (entry: Entry, removed: boolean) => void): void {
    for (let events = watcher.take(EVENTS); events.length > 0; events = watcher.take(EVENTS)) {
      for (const event of events) if ("entry" in event) each(event.entry, event.type === "DELETED");
    }
  }

  private read(watcher: Watcher): void {
    if (this.closed || watcher !== this.watcher) return;
    this.take(watcher, (entry, removed) => this.tell(entry, removed));
    if (watcher.ended !== undefined) this.restart();
  }

  /** Reports one object. An error in the callback is logged and does not stop the others. */
  private tell(entry: Entry | Pick<Entry, "namespace" | "name" | "path">, removed: boolean): void {
    const { namespace, name, path } = entry;
    try {
      if (removed) {
        this.known.delete(path);
        this.parts.removed({ namespace, name, path });
      } else {
        this.known.set(path, { namespace, name, path });
        this.parts.changed(entry as Entry);
      }
    } catch (error) {
      const { plural } = this.parts.storage.definition;
      this.parts.log.error("an object has no effect", { resource: plural, object: path, ...errorFields(error) });
    }
  }

  /** Restarts from the current state after the watch ended, as when the cache was filled again. */
  private restart(): void {
    this.watcher = undefined;
    this.start().catch(async () => {
      await this.parts.pause(RETRY_MS);
      if (!this.closed) this.restart();
    });
  }
}
