// Drops old history, for all replicas together: each tries once an interval, and a guarded key lets one of them through. History
// is so kept for at least one interval and at most two. Other programs that compact the
// same store take turns by the same key. Source: facts, flags.json `etcd-compaction-interval`.
import type { Store } from "@orch/store";
import { errorFields, type Logger } from "../logging/logger";

const KEY = "compact_rev_key";
/** Of 31 bits, the most that a timer waits. */
const INTERVAL_MAX_MS = 2_147_483_647;

export class Compactor {
  private timer: NodeJS.Timeout | undefined;
  /** Writes of the key as of the last look: who finds the same number again writes next. */
  private turn = 0;
  /** The store's revision at the last look; 0: none yet. */
  private revision = 0;

  constructor(private readonly deps: { readonly store: Store; readonly logger: Logger; readonly intervalMs: number }) {}

  start(): void {
    const { intervalMs, logger } = this.deps;
    if (intervalMs === 0) return;
    const run = () =>
      this.run().catch((error: unknown) => logger.warn("history was not compacted", errorFields(error)));
    void run();
    this.timer = setInterval(run, Math.min(intervalMs, INTERVAL_MAX_MS)).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** One turn; public so that tests need no waiting. */
  async run(): Promise<void> {
    const { store, logger } = this.deps;
    const { succeeded, revision, results } = await store.txn({
      compare: [{ key: KEY, target: "version", is: "=", version: this.turn }],
      then: [{ kind: "put", key: KEY, value: Buffer.from(String(this.revision)) }],
      else: [{ kind: "range", start: KEY }],
    });
    const [found] = results;
    const upTo = this.revision;
    this.revision = revision;
    if (!succeeded) {
      // Another replica has had this turn.
      this.turn = found?.kind === "range" ? (found.items[0]?.version ?? 0) : 0;
      return;
    }
    this.turn += 1;
    if (upTo === 0) return;
    await store.compact(upTo);
    logger.info("history compacted", { revision: upTo });
  }
}
