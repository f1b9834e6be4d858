// Reconciles one object that every replica maintains: on changes, on request and optionally at an interval.
// Reconciliations run one at a time; events during one trigger another.
import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "@orch/observability";
import { errorFields } from "@orch/platform";
import { type Entry, type ObjectKey, ResourceInformer, type ResourceStorage } from "@orch/registry";

export interface MaintainedObjectParts {
  readonly storage: ResourceStorage;
  readonly key: ObjectKey;
  readonly logger: Logger;
  /** Reconciles the object. Errors are logged, except at the start. */
  readonly keep: () => Promise<void>;
  /** Log message of a failure. */
  readonly failure: string;
  /** Called with the present object before each reconciliation. */
  readonly changed?: (entry: Entry) => void;
  /** Interval of reconciliations. Absent: only on events. */
  readonly everyMs?: number;
}

export class MaintainedObject {
  private readonly informer: ResourceInformer;
  private timer: NodeJS.Timeout | undefined;
  private working: Promise<void> | undefined;
  private again = false;
  private stopped = false;
  private started = false;

  constructor(private readonly parts: MaintainedObjectParts) {
    const { storage, key, logger } = parts;
    this.informer = new ResourceInformer({
      storage,
      only: key,
      log: logger,
      pause: (ms) => pause(ms, undefined, { ref: false }),
      changed: (entry) => {
        parts.changed?.(entry);
        this.lookSoon();
      },
      removed: () => this.lookSoon(),
    });
  }

  /** Resolves when the object is reconciled and followed. Idempotent. @throws what `keep` throws */
  async start(): Promise<void> {
    const { keep, everyMs } = this.parts;
    await keep();
    if (this.started) return;
    this.started = true;
    if (everyMs !== undefined) this.timer = setInterval(() => this.lookSoon(), everyMs).unref();
    await this.informer.startWithRetries();
  }

  stop(): void {
    this.stopped = true;
    clearInterval(this.timer);
    this.informer.close();
  }

  lookSoon(): void {
    if (!this.started || this.stopped) return;
    this.again = true;
    this.working ??= this.lookAgain().finally(() => {
      this.working = undefined;
    });
  }

  private async lookAgain(): Promise<void> {
    const { keep, logger, failure } = this.parts;
    while (this.again && !this.stopped) {
      this.again = false;
      await keep().catch((error: unknown) => {
        if (!this.stopped) logger.warn(failure, errorFields(error));
      });
    }
  }
}
