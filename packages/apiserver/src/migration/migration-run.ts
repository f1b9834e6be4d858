// Migrates one resource to its present form: passes over all objects repeat until one finds nothing to do. Objects that
// another replica stores meanwhile are found by the next pass at the latest.
//
// pass   checked   outdated   rewritten   next
// 1      1000      700        700         another pass, because other replicas may have stored objects since
// 2      1000      0          0           the end; for a custom resource, once all replicas know its definition
import { type GroupResource, isCode, isReason, ManyValuesError, resourceText, StatusError } from "@orch/machinery";
import { type Clock, messageOf, pause } from "@orch/platform";
import type { ObjectKey, ResourceStorage, WriteContext } from "@orch/registry";
import type { MigrationRecord } from "./migration-record";
import type { MigrationRow } from "./migration-row";
import { type DefinitionState, definitionState, keepStorageVersionOnly } from "./stored-versions";

export interface MigrationRunParts {
  readonly record: MigrationRecord;
  /** Returns the storage that serves a resource now; undefined when it is not served or not stored. */
  readonly find: (resource: GroupResource) => ResourceStorage | undefined;
  /** Storage of custom resource definitions. */
  readonly definitions: ResourceStorage;
  /** Context for writes of custom resource definitions. */
  readonly write: WriteContext;
  /** Rewrites large objects in another thread; undefined when there is none. */
  readonly elsewhere: ((storage: ResourceStorage, key: ObjectKey, signal: AbortSignal) => Promise<boolean>) | undefined;
  readonly clock: Clock;
  readonly now: () => string;
  /** Maximum number of rewrites per second. */
  readonly rate: number;
  readonly observer: MigrationObserver;
}

interface MigrationObserver {
  readonly handled: (resource: string, result: "rewritten" | "failed") => void;
  /** @param share completed share of this pass */
  readonly progressed: (resource: string, share: number) => void;
}

/** Minimum interval between saves of the progress. */
const SAVED_EVERY_MS = 1000;
/**
 * Time after a local change of a definition during which other replicas may still store objects by its former state.
 */
const KNOWN_AFTER_MS = 5000;
/** Failed objects are retried after this time, at most this number of times. */
const FAILED_AGAIN_MS = 10_000;
const FAILED_PASSES_MAX = 3;
/** Maximum number of failed objects that the message names. */
const NAMED_MAX = 3;

/** Another replica has taken over the row. */
export class RowTakenOverError extends Error {
  override readonly name = "RowTakenOverError";
}

export class MigrationRun {
  private readonly name: string;
  private row: MigrationRow;
  private savedAtMs: number;
  private nextWriteMs = 0;
  private failedPasses = 0;
  private failures: string[] = [];
  private known: { readonly mark: string; readonly sinceMs: number } | undefined;

  /** @param written this replica's row, as last saved */
  constructor(
    private readonly parts: MigrationRunParts,
    private readonly resource: GroupResource,
    private written: MigrationRow,
  ) {
    this.name = resourceText(resource);
    this.row = written;
    this.savedAtMs = parts.clock.elapsed();
  }

  /**
   * Runs until the migration has succeeded or failed. Progress is saved; when the signal is aborted, or the store or a
   * webhook is away, any replica can resume.
   * @throws RowTakenOverError; StatusError when the store or a webhook is away; the signal's reason
   */
  async toItsEnd(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        signal.throwIfAborted();
        const storage = this.parts.find(this.resource);
        if (storage?.outdated === undefined) return await this.finish("Failed", "the resource is no longer served");
        const over = await this.pass(storage, signal);
        if (over !== undefined) return await this.finish(...over);
      }
    } catch (error) {
      if (!(error instanceof RowTakenOverError)) await this.leave(signal.aborted ? "" : messageOf(error));
      throw error;
    }
  }

  /**
   * Runs one pass.
   * @returns the final outcome; undefined when another pass is due, or the pass continues on another storage
   */
  private async pass(
    storage: ResourceStorage,
    signal: AbortSignal,
  ): Promise<readonly ["Succeeded" | "Failed", string] | undefined> {
    const { clock } = this.parts;
    const definition = this.definitionOf(storage);
    if (definition !== undefined && definition.storage !== storage.definition.storage.version) {
      // The changed definition is about to be served.
      await pause(clock, 100, signal);
      return undefined;
    }
    this.startOver(storage, definition);
    if (this.row.after === "") {
      this.row = { ...this.row, pass: this.row.pass + 1, looked: 0, outdated: 0, failed: 0 };
      this.failures = [];
    }
    const begunMs = clock.elapsed();
    await storage.caughtUp?.({ signal });
    if (!(await this.lookAtAll(storage, signal))) return undefined;
    const { outdated, failed } = this.row;
    this.row = { ...this.row, after: "" };
    if (failed > 0) {
      this.failedPasses += 1;
      if (this.failedPasses === FAILED_PASSES_MAX) return ["Failed", this.failuresText()];
      this.row = { ...this.row, message: this.failuresText() };
      await this.save();
      await pause(clock, FAILED_AGAIN_MS, signal);
      return undefined;
    }
    this.failedPasses = 0;
    this.row = { ...this.row, message: "" };
    if (outdated > 0) return undefined;
    const unreadable = storage.unreadable("", NAMED_MAX);
    if (unreadable.count > 0) return ["Failed", `${unreadable.count} cannot be read: ${unreadable.paths.join(", ")}`];
    await storage.rewriteHistory?.(() => this.turn(signal), { signal });
    signal.throwIfAborted();
    return this.settle(storage, definition, begunMs, signal);
  }

  private definitionOf({ definition }: ResourceStorage): DefinitionState | undefined {
    return definition.isCustom === true ? definitionState(this.parts.definitions, this.name) : undefined;
  }

  /** Starts over when the target version has changed since the pass began. */
  private startOver(storage: ResourceStorage, definition: DefinitionState | undefined): void {
    const { apiVersion: storageVersion } = storage.definition.storage;
    const mark = definition?.mark ?? "";
    if (this.known?.mark !== mark) this.known = { mark, sinceMs: this.parts.clock.elapsed() };
    if (storageVersion === this.row.storageVersion && mark === this.row.definition) return;
    this.row = { ...this.row, storageVersion, definition: mark, after: "" };
  }

  /** @returns false when the resource is served by another storage now */
  private async lookAtAll(storage: ResourceStorage, signal: AbortSignal): Promise<boolean> {
    for (;;) {
      signal.throwIfAborted();
      if (this.parts.find(this.resource) !== storage) return false;
      const search = await storage.outdated?.(this.row.after, { signal });
      if (search === undefined) return false;
      signal.throwIfAborted();
      // The position advances after the rewrite: a replica that resumes after a failure starts with this object.
      if (search.found !== undefined) await this.bring(storage, search.found, signal);
      const { after } = search;
      this.row = { ...this.row, after, looked: this.row.looked + search.looked, objects: storage.size?.("") ?? 0 };
      this.parts.observer.progressed(this.name, Math.min(1, this.row.looked / Math.max(1, this.row.objects)));
      if (search.isEnd) return true;
      if (this.parts.clock.elapsed() - this.savedAtMs >= SAVED_EVERY_MS) await this.save();
    }
  }

  /** Rewrites one object. @throws StatusError when something is temporarily away */
  private async bring(storage: ResourceStorage, key: ObjectKey, signal: AbortSignal): Promise<void> {
    await this.turn(signal);
    try {
      if (!(await this.rewrite(storage, key, signal))) return;
      this.row = { ...this.row, rewritten: this.row.rewritten + 1, outdated: this.row.outdated + 1 };
      this.parts.observer.handled(this.name, "rewritten");
    } catch (error) {
      if (isReason(error, "NotFound")) return;
      if (!(error instanceof StatusError || error instanceof ManyValuesError)) throw error;
      if (isCode(error, 503) || isCode(error, 504) || signal.aborted) throw error;
      this.row = { ...this.row, outdated: this.row.outdated + 1, failed: this.row.failed + 1 };
      if (this.failures.length < NAMED_MAX) this.failures.push(`${key.namespace}/${key.name}: ${error.message}`);
      this.parts.observer.handled(this.name, "failed");
    }
  }

  private async rewrite(storage: ResourceStorage, key: ObjectKey, signal: AbortSignal): Promise<boolean> {
    const { elsewhere } = this.parts;
    const here = () => storage.rewrite?.(key, { signal }) ?? false;
    if (elsewhere === undefined) return here();
    if (storage.isLarge(key)) return elsewhere(storage, key, signal);
    try {
      return await here();
    } catch (error) {
      if (!(error instanceof ManyValuesError)) throw error;
      return elsewhere(storage, key, signal);
    }
  }

  /** Waits until the rate limit allows the next object. */
  private async turn(signal: AbortSignal): Promise<void> {
    const { clock, rate } = this.parts;
    const nowMs = clock.elapsed();
    const atMs = Math.max(nowMs, this.nextWriteMs);
    this.nextWriteMs = atMs + 1000 / rate;
    if (atMs - nowMs >= 1) await pause(clock, atMs - nowMs, signal);
  }

  private async settle(
    storage: ResourceStorage,
    definition: DefinitionState | undefined,
    begunMs: number,
    signal: AbortSignal,
  ): Promise<readonly ["Succeeded", string] | undefined> {
    const { clock, definitions, write } = this.parts;
    const isCut = definition === undefined || definition.storedVersions.every((each) => each === definition.storage);
    if (!isCut) {
      const waitMs = (this.known?.sinceMs ?? begunMs) + KNOWN_AFTER_MS - begunMs;
      if (waitMs > 0) {
        await this.save();
        await pause(clock, waitMs, signal);
        return undefined;
      }
      if (!(await keepStorageVersionOnly({ definitions, write }, definition))) return undefined;
    }
    const { storageVersion } = this.row;
    return [
      "Succeeded",
      storage.size?.("") === 0 ? "no objects are stored" : `all objects are stored in ${storageVersion}`,
    ];
  }

  private failuresText(): string {
    const { failed } = this.row;
    return `${failed} objects cannot be rewritten: ${this.failures.join("; ")}${failed > this.failures.length ? "; …" : ""}`;
  }

  private async finish(phase: "Succeeded" | "Failed", message: string): Promise<void> {
    if (phase === "Succeeded") this.parts.observer.progressed(this.name, 1);
    this.row = { ...this.row, phase, message, by: "", after: "", finished: this.parts.now() };
    await this.save();
  }

  /** Releases the row, so that another replica may resume at once. */
  private async leave(message: string): Promise<void> {
    this.row = { ...this.row, phase: "Pending", by: "", message };
    await this.save().catch(() => undefined);
  }

  private async save(): Promise<void> {
    const next = { ...this.row, beat: this.written.beat + 1 };
    if (!(await this.parts.record.replace(this.name, this.written, next)))
      throw new RowTakenOverError(`another server migrates ${this.name}`);
    this.row = next;
    this.written = next;
    this.savedAtMs = this.parts.clock.elapsed();
  }
}
