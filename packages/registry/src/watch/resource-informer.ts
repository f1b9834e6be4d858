// Informer of a resource inside the server: reports every present object of the watch cache, then each change. It
// starts again from the present state when its watch ends, as when the cache is refilled. What was reported stays in
// force meanwhile.
import { StatusError } from "@orch/machinery";
import { type EventLoopYielder, errorFields, type Log } from "@orch/platform";
import type { Entry, Watcher } from "../contract/operations";
import type { ResourceStorage } from "../contract/resource-storage";
import { follow } from "./follow";

/**
 * A deleted object. The resource version and the last state are absent for one that was deleted while the informer did
 * not watch.
 */
export type RemovedObject = Pick<Entry, "namespace" | "name" | "path"> &
  Partial<Pick<Entry, "resourceVersion" | "object">>;

export interface ResourceInformerParts {
  /** Storage whose cache must be filled before `start`. */
  readonly storage: ResourceStorage;
  /** The single object to report. Absent: all objects. */
  readonly only?: { readonly namespace: string; readonly name: string };
  readonly log: Log;
  readonly pause: (ms: number) => Promise<void>;
  /** Turns of the event loop in which objects are reported. Absent: all of them are reported in the same turn. */
  readonly loop?: EventLoopYielder;
  /**
   * Reports a present or changed object. A long report returns steps, between which other work may run. An error is
   * logged and does not stop the reports of other objects.
   */
  changed(entry: Entry): void | Iterable<void>;
  removed(object: RemovedObject): void | Iterable<void>;
  /** Called when changes may be reported by `advance`. Absent: they are reported at once. */
  readonly readable?: () => void;
  /** Called when the present state has been reported: after the start, and again after each restart. */
  readonly synced?: () => void;
}

const EVENTS_MAX = 100;
const RETRY_MS = 1000;
const NO_STEPS: Iterator<void> = [][Symbol.iterator]();

export class ResourceInformer {
  private watcher: Watcher | undefined;
  private isSynced = false;
  private closed = false;
  /** Paths of the reported objects, with the round in which each was last seen. */
  private readonly known = new Map<string, number>();
  /** Number of starts. */
  private round = 0;
  private work: Iterator<void> = NO_STEPS;
  private draining: Promise<void> | undefined;

  constructor(private readonly parts: ResourceInformerParts) {}

  /** Resolves when all present objects have been reported. @throws Error when they cannot be read now */
  async start(): Promise<void> {
    const { storage, only } = this.parts;
    this.watcher?.close();
    const watcher = await follow(storage, {
      namespace: only?.namespace,
      selection: only === undefined ? {} : { fields: [{ field: "metadata.name", operator: "=", value: only.name }] },
    });
    if (this.closed) return watcher.close();
    this.round += 1;
    this.isSynced = false;
    this.work = NO_STEPS;
    this.watcher = watcher;
    watcher.onReadable(() => this.readable(watcher));
    await this.caughtUp();
    if (!this.isSynced && !this.closed) throw new Error("the watch ended before its initial objects were read");
    this.parts.synced?.();
  }

  /** Starts, and tries again after a failure until it succeeds or the informer is closed. */
  async startWithRetries(): Promise<void> {
    while (!this.closed) {
      try {
        return await this.start();
      } catch (error) {
        const { plural } = this.parts.storage.definition;
        this.parts.log.warn("cannot watch a resource yet", {
          resource: plural,
          ...errorFields(error),
        });
        await this.parts.pause(RETRY_MS);
      }
    }
  }

  close(): void {
    this.closed = true;
    this.watcher?.close();
  }

  /** Whether all changes in the cache were reported when `advance` last returned true. False during a restart. */
  get isCurrent(): boolean {
    return this.isSynced && this.watcher !== undefined;
  }

  /**
   * Reports changes until there are no more, or until `isOver` returns true; it is asked after each step.
   * @returns whether no change is left
   */
  advance(isOver: () => boolean): boolean {
    const { watcher } = this;
    if (this.closed || watcher === undefined) return true;
    for (;;) {
      if (this.work.next().done === true) {
        const events = watcher.take(EVENTS_MAX);
        if (events.length > 0) this.work = this.reports(events);
        else if (watcher.ended !== undefined) {
          // `start` fails for a watch that ends before it has returned all objects: the missing ones may exist.
          if (this.isSynced) this.restart();
          return true;
        } else if (!this.isSynced) {
          this.isSynced = true;
          this.work = this.removals();
        } else return true;
      }
      if (isOver()) return false;
    }
  }

  /** Reports all changes. @returns a promise when that takes longer than the rest of this turn */
  caughtUp(): void | Promise<void> {
    if (this.draining !== undefined) return this.draining;
    if (this.advance(this.isTurnOver)) return;
    this.draining = this.drain();
    return this.draining;
  }

  private async drain(): Promise<void> {
    try {
      do await this.parts.loop?.next();
      while (!this.advance(this.isTurnOver));
    } finally {
      this.draining = undefined;
    }
  }

  private readonly isTurnOver = (): boolean => this.parts.loop?.isOver ?? false;

  private readable(watcher: Watcher): void {
    if (this.closed || watcher !== this.watcher) return;
    if (this.parts.readable === undefined) void this.caughtUp();
    else this.parts.readable();
  }

  private *reports(events: ReturnType<Watcher["take"]>): Generator<void> {
    for (const event of events) {
      if (!("entry" in event)) continue;
      const { entry } = event;
      if (event.type === "DELETED") {
        this.known.delete(entry.path);
        yield* this.report(entry.path, () => this.parts.removed(entry));
      } else {
        this.known.set(entry.path, this.round);
        yield* this.report(entry.path, () => this.parts.changed(entry));
      }
      yield;
    }
  }

  /** Reports objects that an earlier round has reported and the present state does not contain. */
  private *removals(): Generator<void> {
    for (const [path, round] of this.known) {
      if (round === this.round) continue;
      this.known.delete(path);
      yield* this.report(path, () => this.parts.removed(this.placeOf(path)));
      yield;
    }
  }

  private *report(path: string, act: () => void | Iterable<void>): Generator<void> {
    try {
      const steps = act();
      if (steps) yield* steps;
    } catch (error) {
      const { plural } = this.parts.storage.definition;
      const why = error instanceof StatusError ? { why: error.message } : errorFields(error);
      this.parts.log.error("an object has no effect", { resource: plural, object: path, ...why });
    }
  }

  private placeOf(path: string): RemovedObject {
    if (this.parts.storage.definition.scope !== "Namespaced") return { namespace: "", name: path, path };
    const slash = path.indexOf("/");
    return { namespace: path.slice(0, slash), name: path.slice(slash + 1), path };
  }

  private restart(): void {
    this.watcher = undefined;
    void this.startWithRetries();
  }
}
