// Writes every change of a store into a file, in order, with the request that made it. The file can rebuild the objects
// at any of its revisions.

import { once } from "node:events";
import { createWriteStream, type WriteStream } from "node:fs";
import type { Logger } from "@orch/observability";
import type { Clock } from "@orch/platform";
import type { JsonObject, VocabularyName } from "@orch/schema";
import { type KeyValue, revisionOf, type Store, type StoreEvent, type StoreWatch, type WatchBatch } from "@orch/store";
import { maskSecrets } from "./masked-secrets";
import { notingStore } from "./noting-store";
import {
  RECORDING_FORMAT,
  type RecordedLine,
  type RecordedObject,
  type RecordedValue,
  type Requester,
} from "./recording-format";
import { Requesters } from "./requesters";

export interface RecorderOptions {
  readonly file: string;
  readonly recordsSecrets: boolean;
  readonly vocabulary: VocabularyName;
  readonly release: string;
  /** Root of the keys of all objects, without a slash at its end: `/registry`. */
  readonly prefix: string;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Only the owner may read a recording: it holds all objects. */
const FILE_MODE = 0o600;
/** Number of writes whose requests are remembered until the store reports the change. */
const REMEMBERED_WRITES = 10_000;
/** Size of waiting lines beyond which writes wait for the disk. */
const WAITING_MAX_BYTES = 16 * 1024 * 1024;

export class ChangeRecorder {
  readonly requesters = new Requesters();
  /** Requests by the revision of their write, oldest first. */
  private readonly writers = new Map<number, Requester>();
  private watch: StoreWatch | undefined;
  private last: Promise<void> = Promise.resolve();
  private failure: Error | undefined;

  private constructor(
    private readonly options: RecorderOptions,
    private readonly file: WriteStream,
  ) {
    file.on("error", (error) => this.fail(error));
  }

  /** @throws Error when the file cannot be written; it is replaced when it exists */
  static async open(options: RecorderOptions): Promise<ChangeRecorder> {
    const file = createWriteStream(options.file, { mode: FILE_MODE });
    const recorder = new ChangeRecorder(options, file);
    await once(file, "open");
    return recorder;
  }

  /** Returns the store to use instead of `store`, and starts to record. */
  async over(store: Store): Promise<Store> {
    const { prefix, vocabulary, release, recordsSecrets } = this.options;
    const range = { start: `${prefix}/`, end: `${prefix}0` };
    const { items, revision } = await store.range(range);
    const secrets = recordsSecrets ? "recorded" : "masked";
    const head = { kind: "start", format: RECORDING_FORMAT, at: this.time(), vocabulary, release } as const;
    this.write([{ ...head, revision, secrets }, ...items.map((item) => this.present(item))]);
    this.watch = store.watch(
      { ...range, fromRevision: revision + 1 },
      {
        batch: (batch) => this.take(batch),
        ended: (reason) => {
          if (reason !== "closed" && reason.code !== "closed") this.fail(reason);
        },
      },
    );
    return notingStore(store, (at) => this.note(at));
  }

  /** Writes what is waiting, and closes the file. Called before the store is closed. */
  async close(): Promise<void> {
    // The changes of the last writes are reported in the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    await this.last;
    this.watch?.close();
    this.file.end();
    if (this.failure === undefined) await once(this.file, "close");
  }

  /** Notes the request of a write. The write is answered when there is room for further lines. */
  private note(revision: number): Promise<void> {
    const by = this.requesters.current;
    if (by !== undefined) this.writers.set(revision, by);
    const [oldest] = this.writers.keys();
    if (this.writers.size > REMEMBERED_WRITES && oldest !== undefined) this.writers.delete(oldest);
    return this.room();
  }

  /** Takes changes of the store. The writes themselves may be answered slightly later than their changes arrive. */
  private take({ events }: WatchBatch): void {
    const at = this.time();
    this.last = this.last
      .then(() => new Promise((resolve) => setImmediate(resolve)))
      .then(() => this.write(events.map((event) => this.change(event, at))));
  }

  private change(event: StoreEvent, at: string): RecordedLine {
    const revision = revisionOf(event);
    const by = this.writers.get(revision);
    const about = { kind: "change", revision, at, ...(by && { by }) } as const;
    if (event.kind === "delete") return { ...about, key: this.keyOf(event.key) };
    return { ...about, ...this.contents(event.item) };
  }

  private present(item: KeyValue): RecordedLine {
    return { kind: "object", revision: item.modRevision, ...this.contents(item) };
  }

  private contents({ key, value, lease }: KeyValue): Pick<RecordedObject, "key" | "value" | "isTemporary"> {
    const own = this.keyOf(key);
    const recorded = recordedValue(value, (object) => this.masked(own, object));
    return { key: own, value: recorded, ...(lease !== 0 && { isTemporary: true as const }) };
  }

  private masked(key: string, object: JsonObject): JsonObject {
    return this.options.recordsSecrets ? object : maskSecrets(key, object);
  }

  private keyOf(key: string): string {
    return key.slice(this.options.prefix.length + 1);
  }

  private write(lines: readonly RecordedLine[]): void {
    if (this.failure !== undefined) return;
    this.file.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  }

  /** Waits until the disk has taken most of what is waiting. */
  private async room(): Promise<void> {
    if (this.failure === undefined && this.file.writableLength > WAITING_MAX_BYTES)
      await Promise.race([once(this.file, "drain"), once(this.file, "close")]).catch(() => {});
  }

  private time(): string {
    return new Date(this.options.clock.now()).toISOString();
  }

  private fail(error: Error): void {
    if (this.failure !== undefined) return;
    this.failure = error;
    const { file, logger } = this.options;
    logger.error("the recording of changes has ended", { file, error: error.message });
  }
}

const CURLY = 0x7b;

function recordedValue(value: Buffer, masked: (object: JsonObject) => JsonObject): RecordedValue {
  if (value[0] !== CURLY) return { base64: value.toString("base64") };
  try {
    return masked(JSON.parse(value.toString()) as JsonObject);
  } catch {
    return { base64: value.toString("base64") };
  }
}
