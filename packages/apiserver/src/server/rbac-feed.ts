// Feeds stored roles and bindings to the RBAC authorizer: first the present state, then each change, in slices short
// enough not to delay requests.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { RbacChange, RbacKind } from "@orch/auth";
import { StatusError } from "@orch/machinery";
import { errorFields, pause, systemClock } from "@orch/platform";
import {
  type Entry,
  follow,
  type LoopTurns,
  type ResourceStorage,
  type WatchEvent,
  type Watcher,
} from "@orch/registry";
import type { Logger } from "../logging/logger";

export interface RbacFeedDeps {
  readonly storage: ResourceStorage;
  readonly kind: RbacKind;
  readonly loop: LoopTurns;
  readonly logger: Logger;
  /** Milliseconds of a monotonic clock, as `performance.now` returns them. */
  readonly now?: () => number;
  /** Must not throw for valid objects. */
  apply(change: RbacChange): void;
}

const EVENTS_MAX = 100;
/**
 * Maximum time that all decisions of one turn of the event loop wait, in milliseconds. Further changes are applied a
 * few turns later.
 */
const AT_ONCE_MS = 5;
const RESTART_MS = 1000;
const nowMs = (): number => performance.now();

export class RbacFeed {
  private watcher: Watcher | undefined;
  private fresh = true;
  private draining = false;
  /** Whether this turn of the event loop has spent its time on refreshing. */
  private spent = false;
  private closed = false;
  /** Keys of present objects that were applied, with the round in which each was last seen. */
  private readonly seen = new Map<string, number>();
  private round = 0;
  /** Events that are received and not yet applied. */
  private events: readonly WatchEvent[] = [];
  private next = 0;

  /** @param deps the cache of its storage must be filled before `start` */
  constructor(private readonly deps: RbacFeedDeps) {}

  /** Resolves when the present state is applied. @throws Error when it cannot be read now */
  async start(): Promise<void> {
    this.watcher?.close();
    const watcher = await follow(this.deps.storage);
    if (this.closed) {
      watcher.close();
      return;
    }
    this.round += 1;
    this.watcher = watcher;
    this.fresh = false;
    watcher.onReadable(() => {
      this.fresh = false;
      this.drainLater();
    });
    await this.drain();
    // Objects that were not seen by then may still exist.
    if (watcher.ended !== undefined) throw new Error("the watch ended before its initial objects were read");
    this.forgetUnseen();
  }

  /** Applies changes for a short time. */
  refresh(): void {
    if (this.fresh || this.spent || this.watcher === undefined) return;
    const now = this.deps.now ?? nowMs;
    const untilMs = now() + AT_ONCE_MS;
    let isDone = false;
    do isDone = !this.step();
    while (!isDone && now() < untilMs);
    if (!isDone) this.endTurn();
    else if (this.watcher.ended !== undefined) this.restart();
  }

  /** Resolves when everything in the store at this time is applied. */
  async caughtUp(): Promise<void> {
    await this.deps.storage.caughtUp?.();
    await this.inForce();
  }

  /** Resolves when everything in the cache at this time is applied. */
  async inForce(): Promise<void> {
    for (this.refresh(); !this.fresh && !this.closed; this.refresh()) await nextTurn();
  }

  close(): void {
    this.closed = true;
    this.watcher?.close();
  }

  private endTurn(): void {
    this.spent = true;
    setImmediate(() => {
      this.spent = false;
    });
    this.drainLater();
  }

  private drainLater(): void {
    if (this.draining) return;
    this.draining = true;
    setImmediate(() => {
      this.drain()
        .catch((error: unknown) => this.deps.logger.error("cannot watch RBAC objects", errorFields(error)))
        .finally(() => {
          this.draining = false;
          if (this.watcher?.ended !== undefined) this.restart();
          else if (!this.fresh) this.drainLater();
        });
    });
  }

  private async drain(): Promise<void> {
    const { loop } = this.deps;
    while (this.step()) if (loop.isOver) await loop.next();
  }

  /** @returns whether there may be more to apply */
  private step(): boolean {
    if (this.next === this.events.length) {
      if (this.watcher === undefined) return false;
      this.fresh = true;
      this.events = this.watcher.take(EVENTS_MAX);
      this.next = 0;
      if (this.events.length === 0) return false;
      this.fresh = false;
    }
    const event = this.events[this.next] as WatchEvent;
    this.next += 1;
    if ("entry" in event) this.handOn(event.entry, event.type === "DELETED");
    return true;
  }

  private handOn(entry: Entry, removed: boolean): void {
    if (removed) this.seen.delete(entry.path);
    else this.seen.set(entry.path, this.round);
    const { kind } = this.deps;
    const { namespace, name, resourceVersion: revision } = entry;
    const at = { kind, namespace, name, revision };
    try {
      this.deps.apply({ ...at, object: removed ? undefined : entry.whole() });
    } catch (error) {
      // An invalid or too large object, which another program may have stored, counts as absent.
      const why = error instanceof StatusError ? { why: error.message } : errorFields(error);
      this.deps.logger.error("an object has no effect", {
        resource: this.deps.storage.definition.plural,
        object: entry.path,
        ...why,
      });
      this.deps.apply({ ...at, object: undefined });
    }
  }

  /** Removes objects that the present state does not contain. */
  private forgetUnseen(): void {
    const { kind } = this.deps;
    for (const [path, round] of this.seen) {
      if (round === this.round) continue;
      this.seen.delete(path);
      const slash = path.indexOf("/");
      const namespaced = this.deps.storage.definition.scope === "Namespaced";
      const [namespace, name] = namespaced ? [path.slice(0, slash), path.slice(slash + 1)] : ["", path];
      this.deps.apply({ kind, namespace, name, object: undefined, revision: 0 });
    }
  }

  /**
   * Restarts from the present state after the watch has ended, which happens when the cache was filled anew. The
   * applied state stays in force meanwhile.
   */
  private restart(): void {
    if (this.closed || this.watcher === undefined) return;
    this.watcher = undefined;
    void this.startAgain();
  }

  private async startAgain(): Promise<void> {
    while (!this.closed) {
      try {
        return await this.start();
      } catch (error) {
        this.deps.logger.warn("cannot watch RBAC objects yet", errorFields(error));
        await pause(systemClock, RESTART_MS);
      }
    }
  }
}
