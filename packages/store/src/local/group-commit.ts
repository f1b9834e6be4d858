// Group commit: while one batch of commits is on its way to the disk, the next one gathers.

import type { Revision } from "../contract";
import type { Journal } from "./journal";
import type { Commit } from "./version-index";

interface Waiting {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class GroupCommit {
  readonly #journal: Journal;
  readonly #done: { durable(revision: Revision): void; failed(error: unknown): void };
  #gathering: Commit[] = [];
  #gatheringDone: Waiting | undefined;
  #inFlight: Promise<void> | undefined;
  #flushing = false;

  /** `durable` and `failed` run before those who wait hear of it. After `failed` nothing that was enqueued exists any more. */
  constructor(journal: Journal, done: { durable(revision: Revision): void; failed(error: unknown): void }) {
    this.#journal = journal;
    this.#done = done;
  }

  /** Resolves when the commit is on the disk. */
  add(commit: Commit): Promise<void> {
    this.#gathering.push(commit);
    this.#gatheringDone ??= waiting();
    const { promise } = this.#gatheringDone;
    // The rest of this turn's commits join the same batch.
    if (!this.#flushing) {
      this.#flushing = true;
      queueMicrotask(() => this.#flush());
    }
    return promise;
  }

  /** Resolves when all that has been added is on the disk. */
  settled(): Promise<void> {
    return this.#gatheringDone?.promise ?? this.#inFlight ?? Promise.resolve();
  }

  async #flush(): Promise<void> {
    for (let next = this.#take(); next !== undefined; next = this.#take()) {
      const { batch, done } = next;
      this.#inFlight = done.promise;
      try {
        await this.#journal.append(batch);
        this.#done.durable((batch.at(-1) as Commit).revision);
        done.resolve();
      } catch (error) {
        // What gathered meanwhile was judged on top of commits that do not exist now.
        const later = this.#take();
        this.#done.failed(error);
        done.reject(error);
        later?.done.reject(error);
      }
      this.#inFlight = undefined;
    }
    this.#flushing = false;
  }

  #take(): { readonly batch: readonly Commit[]; readonly done: Waiting } | undefined {
    const batch = this.#gathering;
    const done = this.#gatheringDone;
    this.#gathering = [];
    this.#gatheringDone = undefined;
    return done === undefined ? undefined : { batch, done };
  }
}

function waiting(): Waiting {
  let resolve: () => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
