// Records everything that a watch delivers, for assertions and waiting.

import type {
  Revision,
  Store,
  StoreError,
  StoreEvent,
  StoreWatch,
  WatchBatch,
  WatchRequest,
} from "../contract/contract";

export class WatchRecorder {
  readonly watch: StoreWatch;
  readonly batches: WatchBatch[] = [];
  readonly started: Revision[] = [];
  readonly interruptions: StoreError[] = [];
  ended: StoreError | "closed" | undefined;
  private waiting: { readonly wanted: () => boolean; readonly resolve: () => void }[] = [];

  constructor(store: Store, request: WatchRequest) {
    this.watch = store.watch(request, {
      started: (revision) => this.note(() => this.started.push(revision)),
      batch: (batch) => this.note(() => this.batches.push(batch)),
      interrupted: (error) => this.note(() => this.interruptions.push(error)),
      ended: (reason) =>
        this.note(() => {
          if (this.ended !== undefined) throw new Error("a watch ended twice");
          this.ended = reason;
        }),
    });
  }

  get events(): readonly StoreEvent[] {
    return this.batches.flatMap(({ events }) => events);
  }

  /** Each event in the form `revision key=value`, or `revision key` for a deletion. */
  get lines(): readonly string[] {
    return this.events.map((event) =>
      event.kind === "put"
        ? `${event.item.modRevision} ${event.item.key}=${event.item.value}`
        : `${event.modRevision} ${event.key}`,
    );
  }

  /** Resolves once `wanted` returns true. The time limit of the test bounds the wait. */
  until(wanted: () => boolean): Promise<void> {
    if (wanted()) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push({ wanted, resolve }));
  }

  async untilRevision(revision: Revision): Promise<void> {
    await this.until(() => (this.batches.at(-1)?.revision ?? 0) >= revision);
  }

  async untilStarted(): Promise<this> {
    await this.until(() => this.started.length > 0);
    return this;
  }

  private note(change: () => void): void {
    change();
    this.waiting = this.waiting.filter(({ wanted, resolve }) => {
      if (!wanted()) return true;
      resolve();
      return false;
    });
  }
}
