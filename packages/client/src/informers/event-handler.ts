// Handlers of informer events. Each handler receives all events in order, one at a time, at its own speed.
import type { Log } from "@orch/platform";
import { clientYielder } from "../requests/read-json";

export interface EventHandler<T> {
  /** @param isInInitialList the object was in the initial list */
  added?(object: T, isInInitialList: boolean): void | Promise<void>;
  /** Also called at every resync, with the same object twice. */
  updated?(before: T, after: T): void | Promise<void>;
  /** @param isFinalState false: the deletion event was missed, and the object is the last known state */
  deleted?(object: T, isFinalState: boolean): void | Promise<void>;
}

export type Notification<T> =
  | { readonly kind: "added"; readonly object: T; readonly isInInitialList: boolean }
  | { readonly kind: "updated"; readonly before: T; readonly after: T }
  | { readonly kind: "deleted"; readonly object: T; readonly isFinalState: boolean }
  /** All objects of the initial list have been handled. */
  | { readonly kind: "synced" };

export class HandlerQueue<T> {
  private queue: Notification<T>[] = [];
  private running = false;
  private told = false;
  private stopped = false;

  constructor(
    private readonly handler: EventHandler<T>,
    private readonly deps: { readonly log: Log; readonly synced: () => void },
  ) {}

  /** Reports whether the handler has handled the initial list. */
  get hasSynced(): boolean {
    return this.told;
  }

  /** Stops the handler. Queued events are dropped. */
  stop(): void {
    this.stopped = true;
    this.queue = [];
  }

  push(notification: Notification<T>): void {
    this.queue.push(notification);
    if (!this.running) void this.run();
  }

  private async run(): Promise<void> {
    this.running = true;
    await Promise.resolve(); // never in the caller's stack: it may be in the middle of a change
    while (this.queue.length > 0) {
      const batch = this.queue;
      this.queue = [];
      for (const notification of batch) {
        if (clientYielder.isOver) await clientYielder.next();
        await this.tell(notification);
      }
    }
    this.running = false;
  }

  /** Calls the handler. An error is logged and does not stop later events. */
  private async tell(notification: Notification<T>): Promise<void> {
    if (this.stopped) return;
    try {
      const answer = this.call(notification);
      if (answer !== undefined) await answer;
    } catch (error) {
      this.deps.log.warn("an event handler failed", { kind: notification.kind, error: String(error) });
    }
  }

  private call(notification: Notification<T>): void | Promise<void> {
    switch (notification.kind) {
      case "added":
        return this.handler.added?.(notification.object, notification.isInInitialList);
      case "updated":
        return this.handler.updated?.(notification.before, notification.after);
      case "deleted":
        return this.handler.deleted?.(notification.object, notification.isFinalState);
      case "synced":
        this.told = true;
        return this.deps.synced();
    }
  }
}
