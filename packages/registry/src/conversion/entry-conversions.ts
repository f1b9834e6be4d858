// Converts entries with a definition's converter. Each entry is converted once for each version, for all requests, and
// many entries share one call. A request that gives up ends only the calls for which no other request waits.
//
//   prepare      splits the missing entries into batches, or joins a batch that has an entry already
//   batch        one call of the converter; the batches of one `prepare` run one after the other
//   waiter       a `prepare` that waits for the batch; the last one to leave ends its call

import { setImmediate as nextTurn } from "node:timers/promises";
import { ManyValuesError, type ObjectConverter, type ServedVersion, timeout } from "@orch/machinery";
import type { EndSignal, EventLoopYielder } from "@orch/platform";
import { countValues, type JsonObject, readJson } from "@orch/schema";
import type { StoredEntry } from "../objects/stored-entry";
import { type ConversionStep, convertInWorker, convertObjects } from "./convert-objects";

/**
 * Limits of one call of a converter in objects and bytes: the answer is parsed in one go. A larger object has a call of
 * its own.
 */
const BATCH_ENTRIES = 250;
const BATCH_BYTES = 512 * 1024;
/** Maximum number of values in one call that this thread parses and writes, when another thread is available. */
const BATCH_VALUES = 10_000;

export interface ConversionParts {
  readonly converter: ObjectConverter;
  readonly loop: EventLoopYielder;
}

interface Batch {
  readonly to: ServedVersion;
  readonly entries: readonly StoredEntry[];
  readonly ending: AbortController;
  readonly done: Promise<void>;
  waiters: number;
}

export class EntryConversions {
  /** Batches in progress, by version. */
  private readonly batches = new Map<ServedVersion, Map<StoredEntry, Batch>>();
  /**
   * Growth factor of objects in a version, learnt when an answer was too large for this thread. Later batches are sent
   * to the other thread at once.
   */
  private readonly growth = new Map<ServedVersion, number>();

  constructor(private readonly parts: ConversionParts) {}

  /**
   * Converts the entries that are missing in a version. @returns undefined when none is missing. Rejects with a
   * StatusError
   */
  prepare(entries: readonly StoredEntry[], to: ServedVersion, signal?: EndSignal): Promise<void> | undefined {
    const missing = entries.filter((entry) => !entry.has(to));
    return missing.length === 0 ? undefined : this.wait(this.batchesFor(missing, to), signal);
  }

  /** Number of entries being converted; for metrics and tests. */
  get underWay(): number {
    let count = 0;
    for (const entries of this.batches.values()) count += entries.size;
    return count;
  }

  private batchesFor(missing: readonly StoredEntry[], to: ServedVersion): readonly Batch[] {
    const known = this.batches.get(to) ?? new Map<StoredEntry, Batch>();
    this.batches.set(to, known);
    const joined = new Set<Batch>();
    const own: StoredEntry[] = [];
    for (const entry of missing) {
      const batch = known.get(entry);
      if (batch === undefined) own.push(entry);
      else joined.add(batch);
    }
    let before: Promise<void> = Promise.resolve();
    for (const entries of inBatches(own)) {
      const batch = this.begin(entries, to, before);
      before = batch.done;
      for (const entry of entries) known.set(entry, batch);
      joined.add(batch);
    }
    return [...joined];
  }

  private begin(entries: readonly StoredEntry[], to: ServedVersion, before: Promise<void>): Batch {
    const ending = new AbortController();
    // After a failure, requests that also wait for this batch get a turn to leave it first.
    const done = before.catch(() => nextTurn()).then(() => this.convert(entries, to, ending.signal));
    const batch: Batch = { to, entries, ending, done, waiters: 0 };
    // Waiting requests receive the error through `wait`. The batch may have no waiters left.
    done.catch(() => undefined).then(() => this.forget(batch));
    return batch;
  }

  private async convert(entries: readonly StoredEntry[], to: ServedVersion, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const [{ form }] = entries as [StoredEntry];
    const step: ConversionStep = { from: form.stored, to };
    const { elsewhere } = this.parts.converter;
    if (elsewhere === undefined) return this.convertHere(entries, step, signal);
    const { growth } = this;
    try {
      if (!haveManyValues(entries, BATCH_VALUES / (growth.get(to) ?? 1)))
        return await this.convertHere(entries, step, signal);
    } catch (error) {
      if (!(error instanceof ManyValuesError)) throw error;
      growth.set(to, Math.max(growth.get(to) ?? 1, BATCH_VALUES / valuesOf(entries)));
    }
    const objects = entries.map((entry) => ({
      path: entry.path,
      resourceVersion: entry.resourceVersion,
      stored: entry.stored(),
    }));
    const converted = await convertInWorker(elsewhere, objects, step, signal);
    const { loop } = this.parts;
    for (let at = 0; at < entries.length; at += 1) {
      if (loop.isOver) await loop.next();
      (entries[at] as StoredEntry).keepJson(to, converted[at] as Buffer);
    }
  }

  private async convertHere(entries: readonly StoredEntry[], step: ConversionStep, signal: AbortSignal): Promise<void> {
    const { loop } = this.parts;
    const { from, to } = step;
    const objects: JsonObject[] = [];
    for (const entry of entries) {
      if (loop.isOver) await loop.next();
      objects.push(readJson(entry.json(from).toString()) as JsonObject);
    }
    const converted = await convertObjects(this.parts, objects, step, signal);
    for (let at = 0; at < entries.length; at += 1) {
      if (loop.isOver) await loop.next();
      (entries[at] as StoredEntry).keep(to, converted[at] as JsonObject);
    }
  }

  /** Removes a batch. Later requests for its entries begin a new one. */
  private forget(batch: Batch): void {
    const { to } = batch;
    const known = this.batches.get(to);
    for (const entry of batch.entries) if (known?.get(entry) === batch) known.delete(entry);
    if (known?.size === 0) this.batches.delete(to);
  }

  private async wait(batches: readonly Batch[], signal: EndSignal | undefined): Promise<void> {
    for (const batch of batches) batch.waiters += 1;
    let leave: (() => void) | undefined;
    const left = new Promise<never>((_resolve, reject) => {
      leave = () => reject(abandoned());
      if (signal?.aborted === true) leave();
    });
    if (leave !== undefined) signal?.addEventListener("abort", leave);
    try {
      await Promise.race([Promise.all(batches.map(({ done }) => done)), left]);
    } finally {
      if (leave !== undefined) signal?.removeEventListener("abort", leave);
      for (const batch of batches) {
        batch.waiters -= 1;
        if (batch.waiters > 0) continue;
        this.forget(batch);
        batch.ending.abort(abandoned());
      }
    }
  }
}

const abandoned = () => timeout("the conversion was canceled because no request waits for it");

const valuesOf = (entries: readonly StoredEntry[]): number =>
  entries.reduce((sum, entry) => sum + countValues(entry.json(entry.form.stored), BATCH_VALUES), 0);

function haveManyValues(entries: readonly StoredEntry[], valuesHere: number): boolean {
  let left = valuesHere;
  return entries.some((entry) => {
    if (entry.isLarge) return true;
    left -= countValues(entry.json(entry.form.stored), left);
    return left <= 0;
  });
}

/** Splits entries into batches. All entries of a batch are stored in the same version. */
function inBatches(entries: readonly StoredEntry[]): readonly (readonly StoredEntry[])[] {
  const batches: StoredEntry[][] = [];
  const open = new Map<ServedVersion, { readonly entries: StoredEntry[]; bytes: number }>();
  for (const entry of entries) {
    const { stored } = entry.form;
    let batch = open.get(stored);
    if (batch === undefined || batch.entries.length === BATCH_ENTRIES || batch.bytes + entry.weight > BATCH_BYTES) {
      batch = { entries: [], bytes: 0 };
      open.set(stored, batch);
      batches.push(batch.entries);
    }
    batch.entries.push(entry);
    batch.bytes += entry.weight;
  }
  return batches;
}
