// Parsed objects of one resource, kept up to date for synchronous decisions. The cache itself keeps bytes.
import { StatusError } from "@orch/machinery";
import type { Logger } from "@orch/observability";
import { pause, systemClock } from "@orch/platform";
import { type Entry, type EventLoopYielder, ResourceInformer, type ResourceStorage } from "@orch/registry";
import type { JsonObject } from "@orch/schema";

const NOTHING: ReadonlyMap<string, Held> = new Map();
/** Maximum number of new bytes that are parsed synchronously; more is parsed in slices. */
const AT_ONCE_BYTES = 256 * 1024;

/** One object, parsed on first access, so that no caller waits for objects it does not need. */
interface Held {
  /** Set until the object is parsed. */
  entry: Entry | undefined;
  /** Undefined until the object is parsed, and for an object that is too large. */
  object: JsonObject | undefined;
}

export interface ParsedObjectsParts {
  /** Storage whose cache must be filled before `start`. */
  readonly storage: ResourceStorage;
  readonly logger: Logger;
  /** Called for an object that is left out because of its size. */
  tooLarge(entry: Entry, why: StatusError): void;
  /** Called when objects may have changed. */
  changed(): void;
}

const never = (): boolean => false;

export class ParsedObjects {
  private readonly byNamespace = new Map<string, Map<string, Held>>();
  private readonly unread = new Map<string, Set<Held>>();
  private readonly informer: ResourceInformer;
  private fresh = true;

  constructor(private readonly parts: ParsedObjectsParts) {
    const { storage, logger } = parts;
    this.informer = new ResourceInformer({
      ...{ storage, log: logger },
      pause: (ms) => pause(systemClock, ms),
      changed: (entry) => this.put(entry),
      removed: ({ namespace, name }) => this.remove(namespace, name),
      readable: () => {
        this.fresh = false;
        parts.changed();
      },
      synced: () => parts.changed(),
    });
  }

  start(): Promise<void> {
    return this.informer.start();
  }

  /** @param namespace "" for cluster-scoped resources */
  *of(namespace: string): Iterable<JsonObject> {
    this.refresh();
    for (const held of (this.byNamespace.get(namespace) ?? NOTHING).values()) {
      const object = this.read(held, namespace);
      if (object !== undefined) yield object;
    }
  }

  /** Objects of all namespaces. */
  *all(): Iterable<JsonObject> {
    this.refresh();
    for (const namespace of this.byNamespace.keys()) yield* this.of(namespace);
  }

  find(namespace: string, name: string): JsonObject | undefined {
    this.refresh();
    const held = this.byNamespace.get(namespace)?.get(name);
    return held && this.read(held, namespace);
  }

  /**
   * Parses new objects in slices when there are too many to parse at once.
   * @param namespace undefined: all of them
   * @returns undefined when there are few: `of`, `all` and `find` parse them synchronously
   */
  readInTurns(namespace: string | undefined, turns: EventLoopYielder): Promise<void> | undefined {
    this.refresh();
    if (this.unread.size === 0) return undefined;
    const namespaces = namespace === undefined ? [...this.unread.keys()] : [namespace];
    const waiting = namespaces.map((each) => [each, this.unread.get(each) ?? new Set<Held>()] as const);
    let bytes = 0;
    for (const [, some] of waiting) {
      for (const { entry } of some) {
        bytes += entry?.stored().length ?? 0;
        if (bytes > AT_ONCE_BYTES) return this.readEach(waiting, turns);
      }
    }
    return undefined;
  }

  /** Applies the changes since the last call. */
  refresh(): void {
    if (this.fresh) return;
    this.fresh = true;
    this.informer.advance(never);
  }

  close(): void {
    this.informer.close();
  }

  private put(entry: Entry): void {
    const { namespace, name } = entry;
    this.remove(namespace, name);
    const held: Held = { entry, object: undefined };
    const objects = this.byNamespace.get(namespace) ?? new Map<string, Held>();
    this.byNamespace.set(namespace, objects.set(name, held));
    const unread = this.unread.get(namespace) ?? new Set();
    this.unread.set(namespace, unread.add(held));
  }

  private remove(namespace: string, name: string): void {
    const objects = this.byNamespace.get(namespace);
    const before = objects?.get(name);
    if (before === undefined) return;
    if (before.entry !== undefined) this.isRead(before, namespace);
    objects?.delete(name);
    if (objects?.size === 0) this.byNamespace.delete(namespace);
  }

  private async readEach(
    waiting: readonly (readonly [string, Iterable<Held>])[],
    turns: EventLoopYielder,
  ): Promise<void> {
    for (const [namespace, some] of waiting) {
      for (const held of [...some]) {
        if (turns.isOver) await turns.next();
        this.read(held, namespace);
      }
    }
  }

  /** Treats an object that is too large to be parsed as absent. Other programs may have stored it. */
  private read(held: Held, namespace: string): JsonObject | undefined {
    const { entry } = held;
    if (entry === undefined) return held.object;
    this.isRead(held, namespace);
    held.object = this.parse(entry);
    return held.object;
  }

  private isRead(held: Held, namespace: string): void {
    held.entry = undefined;
    const unread = this.unread.get(namespace);
    unread?.delete(held);
    if (unread?.size === 0) this.unread.delete(namespace);
  }

  private parse(entry: Entry): JsonObject | undefined {
    try {
      return entry.whole();
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      this.parts.tooLarge(entry, error);
      return undefined;
    }
  }
}
