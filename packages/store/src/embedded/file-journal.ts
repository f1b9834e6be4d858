// The journal on files. Every commit is a frame after the last one, and counts as done once it is on the disk. Space is
// reclaimed when the oldest files, all of whose commits are compacted, consist mostly of superfluous data: they are
// rewritten as one file without it. Source: docs/architecture.md, "Embedded store".

import { rmSync } from "node:fs";
import { type LeaseId, type Revision, StoreError, type StoreEvent } from "../contract/contract";
import { StoreOpenError } from "../contract/open-problem";
import { commitFrame, decodeRecord } from "../journal-format/commit-record";
import { encodeFrames, type FrameContent, jsonFrame } from "../journal-format/frame";
import { changeFrame, type JournalState } from "../journal-format/journal-state";
import { scanSegment } from "../journal-format/segment-scan";
import type { Journal, JournalCompaction, JournalStatus } from "../local/journal";
import type { Commit, Forgotten } from "../mvcc/version-index";
import { availableOf, type FreeBytes, shortage } from "./disk-space";
import type { FolderLock } from "./folder-lock";
import { beginning, fileHead, type Place } from "./journal-folder";
import type { JournalPart } from "./journal-reader";
import { makeSegment, SegmentWriter } from "./segment-writer";

const MEBIBYTE = 1024 * 1024;
/** Space allocated ahead of the writes: the largest batch and a reserve. */
const AHEAD_BYTES = 8 * MEBIBYTE;
/** Used space after which more is allocated. */
const AHEAD_STEP_BYTES = 2 * MEBIBYTE;
/** Initial space of a file that is begun while writes wait. The rest is allocated beside the writes. */
export const FIRST_ROOM_BYTES = 1 * MEBIBYTE;
/** Size after which a file is followed by another one. */
const FILE_BYTES = 16 * MEBIBYTE;
/** Interval of checks of the disk while something is written. */
const LOOK_MS = 250;
const PIECE_BYTES = 256 * 1024;
/** Approximate size of a record without key and value. */
const RECORD_BYTES = 72;
/** Size of the probe that tests whether the disk accepts writes again. It overwrites zeros with zeros. */
const PROBE_BYTES = 4096;

export interface FileJournalParts {
  readonly directory: string;
  readonly lock: FolderLock;
  readonly freeBytes: FreeBytes;
  /** Size in bytes after which a file is followed by another one. */
  readonly fileBytes?: number;
}

export interface FileJournalStart {
  readonly state: JournalState;
  readonly sealed: readonly JournalPart[];
  readonly newest: JournalPart;
  readonly writer: SegmentWriter;
}

/** A file, and the number of its bytes that compaction has made superfluous. */
interface OwnPart {
  readonly part: JournalPart;
  deadBytes: number;
}

export class FileJournal implements Journal {
  private readonly parts: FileJournalParts;
  private readonly leases: Map<LeaseId, number>;
  private compacted: Revision;
  private sealed: OwnPart[];
  private newest: OwnPart;
  private writer: SegmentWriter;
  /** Serializes the writes to the newest file. */
  private turn: Promise<unknown> = Promise.resolve();
  private beginning = false;
  private nextFileAt: number;
  /** The reason why writes are rejected; undefined while there is space. */
  private shortage: string | undefined;
  /** Free bytes of the disk at the last look. */
  private free: number | undefined;
  /** Whether the last write failed for another reason. */
  private failed = false;
  /** Whether the disk holds something else than what was written. */
  private damaged = false;
  private looking: Promise<void> | undefined;
  private lookedAt = Number.NEGATIVE_INFINITY;
  private tidying: Promise<void> | undefined;
  private closed = false;

  constructor(parts: FileJournalParts, start: FileJournalStart) {
    this.parts = parts;
    this.leases = new Map(start.state.leases);
    this.compacted = start.state.compacted;
    this.sealed = start.sealed.map((part) => ({ part, deadBytes: 0 }));
    this.newest = { part: start.newest, deadBytes: 0 };
    this.writer = start.writer;
    this.nextFileAt = this.fileBytes;
  }

  get isFull(): boolean {
    return this.shortage !== undefined;
  }

  fullError(): StoreError {
    return new StoreError("full", this.shortage ?? "its disk is full");
  }

  append(commits: readonly Commit[]): Promise<void> {
    return this.inTurn(async () => {
      await this.write(commits.map(commitFrame));
      this.newest.part.lastRevision = (commits.at(-1) as Commit).revision;
    });
  }

  async compact({ revision, forgotten, isKept }: JournalCompaction): Promise<void> {
    await this.inTurn(() => this.write([changeFrame("compacted", { revision })]));
    this.compacted = revision;
    this.forget(forgotten);
    this.tidying = this.tidy(isKept);
    await this.tidying;
  }

  forget(forgotten: readonly Forgotten[]): void {
    for (const { revision, bytes } of forgotten) this.partWith(revision).deadBytes += bytes + RECORD_BYTES;
  }

  saveLease(id: LeaseId, ttlSeconds: number): Promise<void> {
    if (this.isFull) return Promise.reject(this.fullError());
    return this.inTurn(async () => {
      await this.write([changeFrame("leaseGranted", { id, ttlSeconds })]);
      this.leases.set(id, ttlSeconds);
    });
  }

  dropLease(id: LeaseId): Promise<void> {
    return this.inTurn(async () => {
      await this.write([changeFrame("leaseEnded", { id })]);
      this.leases.delete(id);
    });
  }

  async status(): Promise<JournalStatus> {
    await this.look();
    const size = this.sealed.reduce((sum, { part }) => sum + part.bytes, this.writer.size);
    const alarms = [
      ...(this.shortage === undefined ? [] : ["NOSPACE"]),
      ...(this.failed ? ["WRITE_FAILED"] : []),
      ...(this.damaged ? ["CORRUPT"] : []),
    ];
    return { size, alarms, ...(this.free !== undefined && { available: availableOf(this.free) }) };
  }

  private async freeBytes(): Promise<number> {
    this.free = await this.parts.freeBytes();
    return this.free;
  }

  /** Checks the disk. Concurrent calls share one check. */
  look(): Promise<void> {
    this.looking ??= this.lookOnce().finally(() => {
      this.looking = undefined;
    });
    return this.looking;
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.looking;
    // The folder stays locked while files are replaced.
    await this.tidying;
    await this.inTurn(async () => this.writer.close());
    await this.parts.lock.release();
  }

  private get fileBytes(): number {
    return this.parts.fileBytes ?? FILE_BYTES;
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.turn.then(work);
    this.turn = done.catch(() => {});
    return done;
  }

  private async write(frames: readonly FrameContent[]): Promise<void> {
    const bytes = encodeFrames(frames);
    if (this.writer.ahead < bytes.length) await this.makeRoom(bytes.length + AHEAD_STEP_BYTES);
    try {
      await this.writer.append(bytes);
    } catch (error) {
      this.failed = true;
      throw error;
    }
    this.newest.part.bytes = this.writer.position;
    if (this.writer.position >= this.nextFileAt) this.beginFileSoon();
    const isLate = performance.now() - this.lookedAt > LOOK_MS;
    if (isLate || this.writer.ahead < AHEAD_BYTES - AHEAD_STEP_BYTES) void this.look();
  }

  /** @throws StoreError full */
  private async makeRoom(ahead: number): Promise<void> {
    this.shortage = shortage(await this.freeBytes(), ahead - this.writer.ahead);
    if (this.shortage !== undefined) throw this.fullError();
    await this.writer.allocate(ahead);
  }

  private async lookOnce(): Promise<void> {
    this.lookedAt = performance.now();
    const writer = this.writer;
    try {
      await writer.checkPlace();
      if (this.failed || writer.isUnsure) await this.inTurn(() => writer.probe(PROBE_BYTES));
      const wanted = Math.max(0, AHEAD_BYTES - writer.ahead);
      this.shortage = shortage(await this.freeBytes(), wanted);
      if (this.shortage === undefined && wanted > 0) await writer.allocate(AHEAD_BYTES);
      this.failed = false;
    } catch (error) {
      // The file became full in the meantime, and another one follows it.
      if (writer !== this.writer) return;
      if (error instanceof StoreError && error.code === "full") this.shortage = error.message;
      else this.failed = true;
    }
  }

  private beginFileSoon(): void {
    if (this.beginning) return;
    this.beginning = true;
    void this.inTurn(async () => {
      this.beginning = false;
      // Without space for another file, this one is continued for a while.
      this.nextFileAt = this.writer.position + FIRST_ROOM_BYTES;
      if (!this.closed && !this.isFull) await this.beginFile();
    }).catch(() => {});
  }

  /** Begins the next file. It exists before the present file is sealed. @throws StoreError */
  private async beginFile(): Promise<void> {
    const from = this.writer.file.to + 1;
    const state = { compacted: this.compacted, leases: this.leases };
    const made = await makeSegment(
      this.parts.directory,
      { from, to: from },
      { pieces: [beginning({ from, to: from }, state)], ahead: FIRST_ROOM_BYTES },
    );
    const next = new SegmentWriter(made.file, made);
    await this.writer.seal();
    this.newest.part.bytes = this.writer.position;
    this.writer.close();
    this.sealed.push(this.newest);
    const { lastRevision } = this.newest.part;
    this.newest = { part: { file: made.file, bytes: made.position, lastRevision }, deadBytes: 0 };
    this.writer = next;
    this.nextFileAt = this.fileBytes;
    void this.look();
  }

  private partWith(revision: Revision): OwnPart {
    let low = 0;
    let high = this.sealed.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.sealed[middle] as OwnPart).part.lastRevision < revision) low = middle + 1;
      else high = middle;
    }
    return this.sealed[low] ?? this.newest;
  }

  /** Reclaims space when it is worthwhile. A failed attempt is repeated after the next compaction. */
  private async tidy(isKept: (event: StoreEvent) => boolean): Promise<void> {
    const run: OwnPart[] = [];
    for (const own of this.sealed) {
      if (own.part.lastRevision > this.compacted) break;
      run.push(own);
    }
    const bytes = run.reduce((sum, { part }) => sum + part.bytes, 0);
    const dead = run.reduce((sum, { deadBytes }) => sum + deadBytes, 0);
    if (dead < this.fileBytes / 2 || dead < bytes / 2) return;
    try {
      // The kept data exists twice during the rewrite.
      if ((await this.freeBytes()) < bytes - dead) return;
      await this.rewrite(
        run.map(({ part }) => part),
        isKept,
      );
    } catch (error) {
      if (error instanceof StoreOpenError) this.damaged = true;
    }
  }

  /** Rewrites files. @param run starts with the first file: deletions in it hide nothing and are dropped */
  private async rewrite(run: readonly JournalPart[], isKept: (event: StoreEvent) => boolean): Promise<void> {
    const [first] = run;
    const last = run.at(-1);
    if (first === undefined || last === undefined) return;
    const place = { from: first.file.from, to: last.file.to };
    const made = await makeSegment(this.parts.directory, place, { pieces: this.rewritten(run, place, isKept) });
    for (const { file } of run) if (file.path !== made.file.path) rmSync(file.path, { force: true });
    const part = { file: made.file, bytes: made.position, lastRevision: last.lastRevision };
    this.sealed = [{ part, deadBytes: 0 }, ...this.sealed.slice(run.length)];
  }

  private *rewritten(
    run: readonly JournalPart[],
    place: Place,
    isKept: (event: StoreEvent) => boolean,
  ): Iterable<Buffer> {
    let frames: FrameContent[] = [fileHead(place)];
    let bytes = 0;
    for (const { file } of run) {
      for (const { kind, revision, content } of scanSegment(file.path)) {
        if (this.closed) throw new StoreError("closed", "the store is closed");
        if (kind !== "commit") continue;
        const events = decodeRecord(revision, content).events.filter(isKept);
        if (events.length > 0) frames.push(commitFrame({ revision, events }));
        bytes += content.length;
        if (bytes < PIECE_BYTES) continue;
        // Pieces are yielded even when they hold little or nothing, so that other work gets its turn.
        yield encodeFrames(frames);
        frames = [];
        bytes = 0;
      }
    }
    yield encodeFrames([...frames, jsonFrame("seal", {})]);
  }
}
