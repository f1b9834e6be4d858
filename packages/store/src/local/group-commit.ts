// Group commit: while one batch of commits is written to the disk, the next commits are collected.

import type { Revision, StoreEvent } from "../contract/contract";
import type { Commit } from "../mvcc/version-index";
import type { Journal } from "./journal";

/** Size of values from which a batch accepts no further commits. Limits the amount written at once. */
const BATCH_BYTES = 4 * 1024 * 1024;

class Batch {
  readonly commits: Commit[] = [];
  readonly written: Promise<void>;
  bytes = 0;
  resolve: () => void = () => {};
  reject: (error: unknown) => void = () => {};

  constructor() {
    this.written = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}

export class GroupCommit {
  private readonly journal: Pick<Journal, "append">;
  private readonly done: { durable(revision: Revision): void; failed(): void };
  private gathering: Batch[] = [];
  private inFlight: Batch | undefined;
  private flushing = false;

  /** `durable` and `failed` run before waiting writers are notified. After `failed` no added commit exists any more. */
  constructor(journal: Pick<Journal, "append">, done: { durable(revision: Revision): void; failed(): void }) {
    this.journal = journal;
    this.done = done;
  }

  /** Resolves when the commit is on the disk. */
  add(commit: Commit): Promise<void> {
    let batch = this.gathering.at(-1);
    if (batch === undefined || batch.bytes >= BATCH_BYTES) {
      batch = new Batch();
      this.gathering.push(batch);
    }
    batch.commits.push(commit);
    batch.bytes += commit.events.reduce((sum, event) => sum + valueBytes(event), 0);
    if (!this.flushing) {
      this.flushing = true;
      void this.flush();
    }
    return batch.written;
  }

  /** Resolves when all added commits are on the disk. */
  settled(): Promise<void> {
    return (this.gathering.at(-1) ?? this.inFlight)?.written ?? Promise.resolve();
  }

  private async flush(): Promise<void> {
    for (;;) {
      // All commits of this turn of the event loop join the same batch.
      await new Promise(setImmediate);
      const batch = this.gathering.shift();
      if (batch === undefined) break;
      this.inFlight = batch;
      try {
        await this.journal.append(batch.commits);
        this.done.durable((batch.commits.at(-1) as Commit).revision);
        batch.resolve();
      } catch (error) {
        // Commits collected in the meantime are based on commits that do not exist any more.
        const later = this.gathering.splice(0);
        this.done.failed();
        for (const each of [batch, ...later]) each.reject(error);
      }
      this.inFlight = undefined;
    }
    this.flushing = false;
  }
}

const valueBytes = (event: StoreEvent): number => (event.kind === "put" ? event.item.value.length : 0);
