// Feeds stored roles and bindings to the RBAC authorizer: first the present state, then each change, in slices short
// enough not to delay requests.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { RbacChange, RbacKind } from "@orch/auth";
import type { Logger } from "@orch/observability";
import { pause, systemClock } from "@orch/platform";
import {
  type Entry,
  type EventLoopYielder,
  type RemovedObject,
  ResourceInformer,
  type ResourceStorage,
} from "@orch/registry";

export interface RbacInformerDeps {
  readonly storage: ResourceStorage;
  readonly kind: RbacKind;
  readonly loop: EventLoopYielder;
  readonly logger: Logger;
  /** Milliseconds of a monotonic clock, as `performance.now` returns them. */
  readonly now?: () => number;
  /** Must not throw for valid objects. */
  apply(change: RbacChange): void;
}

/**
 * Maximum time that all decisions of one turn of the event loop wait, in milliseconds. Further changes are applied a
 * few turns later.
 */
const AT_ONCE_MS = 5;
const nowMs = (): number => performance.now();

export class RbacInformer {
  private readonly informer: ResourceInformer;
  private fresh = true;
  private draining = false;
  /** Whether this turn of the event loop has spent its time on refreshing. */
  private spent = false;
  private closed = false;

  /** @param deps the cache of its storage must be filled before `start` */
  constructor(private readonly deps: RbacInformerDeps) {
    const { storage, loop, logger } = deps;
    this.informer = new ResourceInformer({
      ...{ storage, loop, log: logger },
      pause: (ms) => pause(systemClock, ms),
      changed: (entry) => this.put(entry),
      removed: (object) => this.remove(object),
      readable: () => {
        this.fresh = false;
        this.drainLater();
      },
    });
  }

  /** Resolves when the present state is applied. @throws Error when it cannot be read now */
  async start(): Promise<void> {
    this.fresh = false;
    await this.informer.start();
    this.refresh();
  }

  /** Applies changes for a short time. */
  refresh(): void {
    if (this.fresh || this.spent) return;
    const now = this.deps.now ?? nowMs;
    const untilMs = now() + AT_ONCE_MS;
    if (this.informer.advance(() => now() >= untilMs)) this.fresh = this.informer.isCurrent;
    else this.endTurn();
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
    this.informer.close();
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
    setImmediate(() => void this.drain());
  }

  private async drain(): Promise<void> {
    await this.informer.caughtUp();
    this.draining = false;
    this.refresh();
  }

  private put(entry: Entry): void {
    const { namespace, name, resourceVersion: revision } = entry;
    const at = { kind: this.deps.kind, namespace, name, revision };
    try {
      this.deps.apply({ ...at, object: entry.whole() });
    } catch (error) {
      // An invalid or too large object, which another program may have stored, counts as absent.
      this.deps.apply({ ...at, object: undefined });
      throw error;
    }
  }

  private remove({ namespace, name, resourceVersion: revision = 0 }: RemovedObject): void {
    this.deps.apply({ kind: this.deps.kind, namespace, name, object: undefined, revision });
  }
}
