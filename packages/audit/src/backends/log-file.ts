// Audit log file with one event per line. Events are queued in bounded memory and written in the background. A file
// that reaches its maximum size is rotated under the current time. Source: Kubernetes documentation, "kube-apiserver",
// `--audit-log-path` and `--audit-log-maxsize`.

import { close, fstat, mkdir, open, rename, stat, write } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { type Clock, makeFolder } from "@orch/platform";
import type { EventText } from "../text/event-json";
import { type BackupRules, cleanBackups, freeBackupName } from "./log-backups";

export interface LogFileOptions extends BackupRules {
  /** `-`: standard output, which is never rotated. */
  readonly path: string;
  readonly maxBytes: number;
}

export interface LogFileDeps {
  readonly clock: Clock;
  /** Called with events that could not be written and are late or lost. */
  failed(error: Error, events: number): void;
  /** Called when backups could not be made or deleted; no event is lost. */
  disturbed(error: Error): void;
  /**
   * Mutual exclusion for processes that write to the same file: runs an action while no other process runs one of this
   * name.
   */
  readonly alone?: Alone | undefined;
}

export type Alone = <Result>(at: string, work: () => Promise<Result>) => Promise<Result>;

const WAITING_MAX_BYTES = 64 * 1024 * 1024;
const CHUNK_BYTES = 512 * 1024;
const RETRY_MS = 1000;
const LOOK_EVERY_MS = 1000;
/** Pause between writes: one write costs as much as encoding about twenty events. */
const PAUSE_MS = 20;
/** Number of chunks that are filled and written at a time when the disk keeps up. */
const SPARES_MAX = 3;
const RESTING_MAX_BYTES = 256 * 1024;
const STDOUT = 1;
const NEW_LINE = 10;
/** Maximum UTF-8 bytes per UTF-16 code unit. */
const CHARACTER_MAX_BYTES = 3;

const files = {
  open: promisify(open),
  close: promisify(close),
  fstat: promisify(fstat),
  stat: promisify(stat),
  rename: promisify(rename),
  mkdir: promisify(mkdir),
};

type Settle = (error?: Error) => void;

/**
 * One write to the disk. Events are copied into it as they arrive: texts in many parts would cost more garbage
 * collection.
 */
class Chunk {
  used = 0;
  events = 0;
  /** Bytes as the events count them. */
  countedBytes = 0;
  settles: Settle[] = [];

  constructor(
    private readonly memory: Buffer,
    readonly isShared = true,
  ) {}

  /** Makes a chunk for an event that is too large to share one. */
  static of({ pieces, bytes }: EventText): Chunk {
    const chunk = new Chunk(Buffer.concat([...pieces, "\n"].map((piece) => Buffer.from(piece))), false);
    chunk.used = chunk.memory.length;
    chunk.events = 1;
    chunk.countedBytes = bytes;
    return chunk;
  }

  get bytes(): Buffer {
    return this.memory.subarray(0, this.used);
  }

  hasRoom({ bytes, isAscii }: EventText): boolean {
    return this.used + (isAscii === true ? bytes : bytes * CHARACTER_MAX_BYTES) + 1 <= this.memory.length;
  }

  add({ pieces, bytes, isAscii }: EventText): void {
    const { memory } = this;
    const encoding = isAscii === true ? "latin1" : "utf8";
    let at = this.used;
    for (const piece of pieces) {
      if (typeof piece === "string") at += memory.write(piece, at, encoding);
      else {
        memory.set(piece, at);
        at += piece.length;
      }
    }
    memory[at] = NEW_LINE;
    this.used = at + 1;
    this.events += 1;
    this.countedBytes += bytes;
  }

  clear(): void {
    this.used = 0;
    this.events = 0;
    this.countedBytes = 0;
    this.settles = [];
  }
}

export class LogFile {
  private readonly waiting: Chunk[] = [];
  /** Chunk for the next event: the last waiting one, unless it is closed to further events. */
  private filling: Chunk | undefined;
  /** Chunks to reuse: allocating new ones would trigger the garbage collector. */
  private readonly spares: Chunk[] = [];
  private waitingBytes = 0;
  private fd: number | undefined;
  private inode = 0;
  /** Devices and pipes have no size and are not replaced at their path. */
  private isRegular = true;
  private size = 0;
  private lookedMs = 0;
  private pumping: Promise<void> | undefined;
  private isScheduled = false;
  private isUrgent = false;
  private closing = false;
  private hasGivenUp = false;
  private wroteMs = Number.NEGATIVE_INFINITY;
  private cleaning: Promise<void> = Promise.resolve();
  private endPause: (() => void) | undefined;

  constructor(
    private readonly options: LogFileOptions,
    private readonly deps: LogFileDeps,
  ) {}

  /** @throws Error when the file cannot be written */
  async open(): Promise<void> {
    await this.opened();
    this.clean();
  }

  /** @throws Error when the queue is full */
  write(text: EventText): void {
    this.add(text, undefined);
  }

  /** @returns a promise that resolves once the event is in the file @throws Error when it is not written, or not yet */
  written(text: EventText): Promise<void> {
    return new Promise((resolve, reject) => {
      this.add(text, (error) => (error === undefined ? resolve() : reject(error)));
    });
  }

  /** Writes the queued events. @param boundMs maximum time @returns number of events that were not written */
  async close(boundMs: number): Promise<number> {
    this.closing = true;
    const cancel = this.deps.clock.after(boundMs, () => this.giveUp());
    this.endPause?.();
    do {
      this.begin();
      await this.pumping;
    } while (this.waiting.length > 0 && !this.hasGivenUp);
    cancel();
    await this.cleaning;
    await this.shut();
    return this.waiting.reduce((sum, { events }) => sum + events, 0);
  }

  private add(text: EventText, settle: Settle | undefined): void {
    if (this.waitingBytes + text.bytes > WAITING_MAX_BYTES)
      throw new Error("the disk is too slow: the buffer of audit events is full");
    const chunk = this.put(text);
    this.waitingBytes += text.bytes;
    if (settle !== undefined) {
      chunk.settles.push(settle);
      this.isUrgent = true;
    }
    this.schedule();
  }

  private put(text: EventText): Chunk {
    let chunk = this.filling;
    if (chunk?.hasRoom(text) !== true) {
      chunk = this.emptyChunk();
      if (!chunk.hasRoom(text)) {
        this.spares.push(chunk);
        this.filling = undefined;
        const whole = Chunk.of(text);
        this.waiting.push(whole);
        return whole;
      }
      this.filling = chunk;
      this.waiting.push(chunk);
    }
    chunk.add(text);
    return chunk;
  }

  private emptyChunk(): Chunk {
    return this.spares.pop() ?? new Chunk(Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, this.options.maxBytes)));
  }

  /**
   * Events of the current turn of the event loop are written together; events that arrive soon after a write are
   * delayed briefly.
   */
  private schedule(): void {
    if (this.pumping !== undefined || (this.isScheduled && !this.isUrgent)) return;
    this.isScheduled = true;
    const restMs = this.isUrgent ? 0 : this.wroteMs + PAUSE_MS - this.deps.clock.elapsed();
    if (restMs <= 0) setImmediate(() => this.begin());
    else this.deps.clock.after(restMs, () => this.begin());
  }

  private begin(): void {
    this.isScheduled = false;
    if (this.waiting.length > 0) this.pumping ??= this.pump();
  }

  private async pump(): Promise<void> {
    do {
      this.isUrgent = false;
      const chunk = this.waiting.shift() as Chunk;
      if (chunk === this.filling) this.filling = undefined;
      await this.writeChunk(chunk);
    } while (this.waiting.length > 0 && !this.hasGivenUp && this.cannotRest);
    this.pumping = undefined;
    this.wroteMs = this.deps.clock.elapsed();
    if (this.waiting.length > 0 && !this.hasGivenUp) this.schedule();
  }

  private get cannotRest(): boolean {
    return this.closing || this.isUrgent || this.waitingBytes > RESTING_MAX_BYTES;
  }

  private giveUp(): void {
    this.hasGivenUp = true;
    this.endPause?.();
  }

  private async writeChunk(chunk: Chunk): Promise<void> {
    const { alone } = this.deps;
    if (alone === undefined) await this.writeFileAtomically(chunk);
    else await alone("audit-log", () => this.writeFileAtomically(chunk));
  }

  /** Retries until the chunk is written. After a partial write it continues with the rest. */
  private async writeFileAtomically(chunk: Chunk): Promise<void> {
    const { bytes } = chunk;
    let at = 0;
    let failures = 0;
    let inode = 0;
    while (at < bytes.length) {
      try {
        const fd = await this.ready(at === 0 ? bytes.length : 0);
        // A new file begins with a complete line.
        if (at > 0 && this.inode !== inode) at = bytes.lastIndexOf(NEW_LINE, at - 1) + 1;
        inode = this.inode;
        const count = await written(fd, bytes, at);
        at += count;
        this.size += count;
      } catch (error) {
        failures += 1;
        if (failures === 1) this.deps.failed(error as Error, chunk.events);
        for (const settle of chunk.settles) settle(error as Error);
        await this.shut();
        if (this.hasGivenUp) {
          this.waiting.unshift(chunk);
          return;
        }
        await this.pause();
      }
    }
    this.waitingBytes -= chunk.countedBytes;
    for (const settle of chunk.settles) settle();
    if (chunk.isShared) {
      chunk.clear();
      if (this.spares.length < SPARES_MAX) this.spares.push(chunk);
    }
  }

  private pause(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.deps.clock.after(this.closing ? RETRY_MS / 10 : RETRY_MS, () => this.endPause?.(), {
        background: true,
      });
      this.endPause = () => {
        cancel();
        this.endPause = undefined;
        resolve();
      };
    });
  }

  private get isFile(): boolean {
    return this.options.path !== "-";
  }

  /** Returns the file to write to; opens a new one when the current one is full or was removed. */
  private async ready(moreBytes: number): Promise<number> {
    if (!this.isFile) return STDOUT;
    const nowMs = this.deps.clock.elapsed();
    if (this.fd !== undefined && (this.deps.alone !== undefined || nowMs - this.lookedMs > LOOK_EVERY_MS)) {
      this.lookedMs = nowMs;
      const there = await files.stat(this.options.path).catch(() => undefined);
      if (there?.ino !== this.inode) await this.shut();
      else this.size = there.size;
    }
    const fd = this.fd ?? (await this.opened());
    const hasRoom = moreBytes === 0 || this.size === 0 || this.size + moreBytes <= this.options.maxBytes;
    return hasRoom || !this.isRegular ? fd : this.setAside();
  }

  private async opened(): Promise<number> {
    if (!this.isFile) return STDOUT;
    const { path } = this.options;
    makeFolder(dirname(path));
    const fd = await files.open(path, "a", 0o600);
    const found = await files.fstat(fd);
    const { size, ino } = found;
    this.fd = fd;
    this.isRegular = found.isFile();
    this.size = size;
    this.inode = ino;
    this.lookedMs = this.deps.clock.elapsed();
    return fd;
  }

  private async setAside(): Promise<number> {
    await this.shut();
    const { path } = this.options;
    await files.rename(path, await freeBackupName(path, this.deps.clock.now()));
    this.clean();
    return this.opened();
  }

  private clean(): void {
    if (!this.isFile) return;
    const { options, deps } = this;
    const clean = () => cleanBackups(options.path, options, deps.clock.now());
    this.cleaning = this.cleaning
      .then(() => (deps.alone === undefined ? clean() : deps.alone("audit-log-backups", clean)))
      .catch((error: unknown) => deps.disturbed(error as Error));
  }

  private async shut(): Promise<void> {
    const { fd } = this;
    this.fd = undefined;
    if (fd !== undefined) await files.close(fd).catch(() => {});
  }
}

const written = (fd: number, bytes: Buffer, at: number): Promise<number> =>
  new Promise((resolve, reject) => {
    write(fd, bytes, at, bytes.length - at, null, (error, count) => {
      if (error === null) resolve(count);
      else reject(error);
    });
  });
