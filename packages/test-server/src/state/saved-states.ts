// Takes the server's objects back to an earlier state, while its controllers may be writing.
import type { Store } from "@orch/store";
import type { RequestLog } from "../requests/request-log";
import type { Snapshot } from "./snapshot";
import { contentOf, type StoreContent, writeContent } from "./store-state";

/** Number of times a state is written back because changes that were under way have undone a part of it. */
const ROUNDS = 5;

export class SavedStates {
  private readonly contents = new WeakMap<Snapshot, StoreContent>();

  /** Revision up to which the history was dropped. */
  private compacted = 0;

  constructor(
    private readonly store: Store,
    private readonly requests: RequestLog,
    private readonly forgetBefore: (revision: number) => void,
  ) {}

  async take(): Promise<Snapshot> {
    const content = await contentOf(this.store);
    const snapshot = { objects: content.items.size };
    this.contents.set(snapshot, content);
    return snapshot;
  }

  /**
   * Writes the objects of a snapshot back. Changes that the server had admitted before are awaited, and undone, too.
   * @throws TypeError for a snapshot of another server
   */
  async restore(snapshot: Snapshot): Promise<void> {
    const content = this.contents.get(snapshot);
    if (content === undefined) throw new TypeError("snapshot: must be a result of snapshot() of the same server");
    const before = await this.store.status();
    for (let round = 0; round < ROUNDS; round += 1) {
      const { revision } = await writeContent(this.store, content);
      await this.requests.changesAnswered();
      if ((await this.store.status()).revision === revision) break;
    }
    // The history of earlier states is not needed: a test that watches from there lists again.
    if (before.revision <= this.compacted) return;
    await this.store.compact(before.revision);
    this.forgetBefore(before.revision);
    this.compacted = before.revision;
  }
}
