// Reads the store's current revision for reads that must be as new as the store. One read in progress and one waiting
// read serve all requests. A request only gets an answer whose read began after the request arrived.

import type { Store } from "@orch/store";

/** Timeout of one read, after which the store counts as unreachable. */
const READ_TIMEOUT_MS = 3_000;
/** A key that is never stored. */
const NOWHERE = "\0";

export class RevisionReader {
  private running: Promise<number> | undefined;
  private next: Promise<number> | undefined;

  constructor(private readonly store: Store) {}

  /** @throws StoreError */
  read(): Promise<number> {
    if (this.running === undefined) return this.start();
    this.next ??= this.running.then(
      () => this.startNext(),
      () => this.startNext(),
    );
    return this.next;
  }

  private startNext(): Promise<number> {
    this.next = undefined;
    return this.start();
  }

  private start(): Promise<number> {
    const running = this.ask();
    this.running = running;
    return running;
  }

  private async ask(): Promise<number> {
    try {
      return (await this.store.range({ start: NOWHERE, limit: 1, keysOnly: true }, { timeoutMs: READ_TIMEOUT_MS }))
        .revision;
    } finally {
      this.running = undefined;
    }
  }
}
