// Records the day of the last use of a service account token in a label of its Secret. Requests do not wait: uses are
// queued and written one by one, at most once per day and token.
import type { UsedSecret } from "@orch/auth";
import { dayAfter, dayOf, isReason, MOST_RECENT, metaOf } from "@orch/machinery";
import type { Logger } from "@orch/observability";
import { errorFields } from "@orch/platform";
import type { ResourceStorage } from "@orch/registry";
import type { JsonObject, Vocabulary } from "@orch/schema";
import { serverWrite } from "@orch/served-resources";

export interface LastUsesParts {
  /** Storage of Secrets. */
  readonly storage: ResourceStorage;
  readonly vocabulary: Vocabulary;
  readonly logger: Logger;
  nowMs(): number;
  pause(ms: number): Promise<void>;
}

/** Queue limit. A use that does not fit is recorded at the next use. */
const WAITING_MAX = 10_000;
const BETWEEN_MS = 10;
const AFTER_FAILURE_MS = 1000;
const TRIES = 3;

export class LastUses {
  private readonly waiting = new Map<string, UsedSecret>();
  /** Secrets written today that not all observers have seen yet. */
  private written = new Set<string>();
  private day = "";
  private working = false;
  private writing: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(private readonly parts: LastUsesParts) {}

  /** Queues a use. Does not wait. */
  note(secret: UsedSecret): void {
    const nowMs = this.parts.nowMs();
    const today = dayOf(nowMs);
    // The clock of another replica may be ahead.
    if (this.stopped || secret.lastUsed === today || secret.lastUsed === dayAfter(nowMs)) return;
    if (this.day !== today) this.written = new Set();
    this.day = today;
    if (this.written.has(secret.uid) || this.waiting.has(secret.uid) || this.waiting.size >= WAITING_MAX) return;
    this.waiting.set(secret.uid, secret);
    if (!this.working) void this.work();
  }

  /** Resolves when no write is under way. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.writing.catch(() => {});
  }

  private async work(): Promise<void> {
    const { logger, pause } = this.parts;
    this.working = true;
    for (let [next] = this.waiting; next !== undefined && !this.stopped; [next] = this.waiting) {
      const [uid, secret] = next;
      let pauseMs = BETWEEN_MS;
      try {
        this.writing = this.write(secret);
        await this.writing;
        if (this.written.size >= WAITING_MAX) this.written.clear();
        this.written.add(uid);
      } catch (error) {
        const { namespace, name } = secret;
        logger.warn("cannot record the use of a service account token", { namespace, name, ...errorFields(error) });
        pauseMs = AFTER_FAILURE_MS;
      }
      this.waiting.delete(uid);
      await pause(pauseMs);
    }
    this.working = false;
  }

  private async write(secret: UsedSecret): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        await this.writeOnce(secret);
        return;
      } catch (error) {
        if (isReason(error, "NotFound")) return;
        if (!isReason(error, "Conflict") || tries === TRIES) throw error;
      }
    }
  }

  private async writeOnce({ namespace, name, uid }: UsedSecret): Promise<void> {
    const { storage, vocabulary, nowMs } = this.parts;
    const key = { namespace, name };
    const found = (await storage.get(key, MOST_RECENT)).object();
    const { uid: foundUid, labels = {} } = metaOf(found);
    const label = vocabulary.labels.legacyTokenLastUsed;
    const now = nowMs();
    if (foundUid !== uid || labels[label] === dayOf(now) || labels[label] === dayAfter(now)) return;
    const metadata = { ...(found["metadata"] as JsonObject), labels: { ...labels, [label]: dayOf(now) } };
    await storage.update({ ...found, metadata }, key, serverWrite(storage, vocabulary));
  }
}
