// Writes every change of a store into a file, in order, with the request that made it. The file can rebuild the objects
// at any of its revisions.

import { once } from "node:events";
import { createWriteStream, type WriteStream } from "node:fs";
import type { Logger } from "@orch/observability";
import type { Clock } from "@orch/platform";
import type { JsonObject, VocabularyName } from "@orch/schema";
import { SettingsError } from "@orch/server-config";
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
/** Time that a stop waits for the store to report the last write. */
const REPORTED_MS = 1_000;
/** Number of turns of the event loop that a stop waits at least. */
const TURNS_MIN = 100;
/** Size of waiting lines beyond which writes wait for the disk. */
const WAITING_MAX_BYTES = 16 * 1024 * 1024;

export class ChangeRecorder {
  readonly requesters = new Requesters();
  /** Requests by the revision of their write, oldest first. */
  private readonly writers = new Map<number, Requester>();
  private watch: StoreWatch | undefined;
  private last: Promise<void> = Promise.resolve();
  private failure: Error | undefined;
  /** Revisions of the last write, and of the last change that the store has reported. */
  private noted = 0;
  private taken = 0;
  /** Resolves when the disk has taken what was waiting; undefined when there is room. */
  private draining: Promise<unknown> | undefined;

  private constructor(
    private readonly options: RecorderOptions,
    private readonly file: WriteStream,
  ) {
    file.on("error", (error) => this.fail(error));
  }

  /** @throws SettingsError when the file cannot be written; it is replaced when it exists */
  static async open(options: RecorderOptions): Promise<ChangeRecorder> {
    const file = createWriteStream(options.file, { mode: FILE_MODE });
    await once(file, "open").catch((error: Error) => {
      throw new SettingsError([`--record: ${error.message}`]);
    });
    return new ChangeRecorder(options, file);
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
    await this.reported();
    await this.last;
    this.watch?.close();
    const closed = new Promise<void>((resolve) => this.file.once("close", resolve));
    this.file.end();
    if (this.failure === undefined) await closed;
  }

  /**
   * Waits until the store has reported the last write. A store in this process does so in the next turn of the event
   * loop, etcd within the time of a message. Some writes have no change, so that the wait is bounded.
   */
  private async reported(): Promise<void> {
    const began = this.options.clock.elapsed();
    // The time alone would end the wait of a process that the machine has suspended.
    for (let turns = 0; turns < TURNS_MIN || this.options.clock.elapsed() - began < REPORTED_MS; turns += 1) {
      await nextTurn();
      if (this.taken >= this.noted || this.failure !== undefined) return;
    }
  }

  /** Notes the request of a write. The write is answered when there is room for further lines. */
  private async note(revision: number): Promise<void> {
    this.noted = Math.max(this.noted, revision);
    const by = this.requesters.current;
    if (by !== undefined) this.writers.set(revision, by);
    const [oldest] = this.writers.keys();
    if (this.writers.size > REMEMBERED_WRITES && oldest !== undefined) this.writers.delete(oldest);
    // Without a pause, one writer could be ahead of the changes that the store reports by any number of writes.
    await nextTurn();
    await this.room();
  }

  /** Takes changes of the store. The writes themselves may be answered slightly later than their changes arrive. */
  private take({ events, revision }: WatchBatch): void {
    this.taken = revision;
    const at = this.time();
    this.last = this.last.then(nextTurn).then(() => this.write(events.map((event) => this.change(event, at))));
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

  /** Waits until the disk has taken what is waiting, when that is much. */
  private async room(): Promise<void> {
    if (this.failure !== undefined || this.file.writableLength <= WAITING_MAX_BYTES) return;
    // All writes share one listener.
    this.draining ??= new Promise<void>((resolve) => {
      const done = (): void => {
        this.file.off("drain", done).off("close", done);
        this.draining = undefined;
        resolve();
      };
      this.file.on("drain", done).on("close", done);
    });
    await this.draining;
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

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const CURLY = 0x7b;

function recordedValue(value: Buffer, masked: (object: JsonObject) => JsonObject): RecordedValue {
  if (value[0] !== CURLY) return { base64: value.toString("base64") };
  try {
    return masked(JSON.parse(value.toString()) as JsonObject);
  } catch {
    return { base64: value.toString("base64") };
  }
}
