// Reads the files of a journal together. The newest file alone holds the state (compacted revision, leases): it begins
// with the whole state.

import { statSync } from "node:fs";
import type { Additions, Revision } from "../contract/contract";
import { StoreOpenError, withFiles } from "../contract/open-problem";
import { decodeRecord } from "../journal-format/commit-record";
import { type JournalState, StateReading } from "../journal-format/journal-state";
import { type Frame, type ScanEnd, scanSegment } from "../journal-format/segment-scan";
import { itemAllocator } from "../mvcc/held-item";
import { type Commit, FIRST_REVISION } from "../mvcc/version-index";
import { checkChain, type FileHead, FORMAT, type JournalFile, listJournal, missing } from "./journal-folder";

/** A file with what the journal knows of it. */
export interface JournalPart {
  readonly file: JournalFile;
  /** Size of its frames in bytes. */
  bytes: number;
  /** Revision of the last commit up to the end of the file; 0 without one. */
  lastRevision: Revision;
}

export interface JournalReading {
  readonly state: JournalState;
  /** All commits, oldest first. */
  readonly commits: readonly Commit[];
  /** The older files. */
  readonly sealed: readonly JournalPart[];
  readonly newest: JournalPart & { readonly end: ScanEnd; readonly size: number };
}

/**
 * Reads a journal. @param additions see `Additions`
 * @returns undefined when there is no journal
 * @throws StoreOpenError damaged, cut, foreign, empty, newer, noAccess, unreadable
 */
export function readJournal(directory: string, additions?: Additions): JournalReading | undefined {
  return withFiles(`the store in ${directory}`, () => {
    const { files } = listJournal(directory);
    const last = files.at(-1);
    if (last === undefined) return undefined;
    checkChain(directory, files);
    const kept = itemAllocator(additions);
    const newest = readNewest(directory, last, kept);
    const sealed = files.slice(0, -1).map((file) => ({ file, bytes: 0, lastRevision: 0 }));
    const { state } = newest;
    return { state, sealed, newest, commits: [...commitsOf({ sealed, newest, kept })] };
  });
}

interface NewestFile extends JournalPart {
  readonly state: JournalState;
  readonly commits: readonly Commit[];
  readonly end: ScanEnd;
  readonly size: number;
}

type Kept = ReturnType<typeof itemAllocator>;

function readNewest(directory: string, file: JournalFile, kept: Kept): NewestFile {
  const frames = new FramesOf(file);
  const commits: Commit[] = [];
  const state = new StateReading();
  for (const frame of frames) {
    if (frame.kind === "file") checkHead(file, frame);
    else if (frame.kind === "commit") commits.push(commitIn(file, frame, kept));
    else state.take(frame);
  }
  const { end } = frames;
  if (end.kind === "sealed") throw missing(directory, file.to + 1);
  return {
    file,
    commits,
    end,
    bytes: end.at,
    lastRevision: commits.at(-1)?.revision ?? 0,
    state,
    size: statSync(file.path).size,
  };
}

function* commitsOf({
  sealed,
  newest,
  kept,
}: {
  readonly sealed: readonly JournalPart[];
  readonly newest: NewestFile;
  readonly kept: Kept;
}): Iterable<Commit> {
  const order = new RevisionOrder(newest.state.compacted);
  for (const part of sealed) {
    for (const commit of commitsIn(part, kept)) {
      order.check(commit.revision, part.file);
      yield commit;
    }
    part.lastRevision = order.last;
  }
  for (const commit of newest.commits) {
    order.check(commit.revision, newest.file);
    yield commit;
  }
  newest.lastRevision = order.last;
}

function* commitsIn(part: JournalPart, kept: Kept): Iterable<Commit> {
  const frames = new FramesOf(part.file);
  for (const frame of frames) {
    if (frame.kind === "file") checkHead(part.file, frame);
    if (frame.kind !== "commit") continue;
    yield commitIn(part.file, frame, kept);
  }
  const { end } = frames;
  part.bytes = end.at;
  // Nothing was written to the file after the next one was begun.
  if (end.kind === "torn")
    throw new StoreOpenError("damaged", `${part.file.path} is truncated: it ends in the middle of a record`);
}

/** Checks that revisions rise, and that none is missing after the compacted one. */
class RevisionOrder {
  last: Revision = 0;

  constructor(private readonly compacted: Revision) {}

  check(revision: Revision, { path }: JournalFile): void {
    const { last } = this;
    this.last = revision;
    if (revision <= last)
      throw new StoreOpenError("damaged", `revision ${revision} follows revision ${last} in ${path}`);
    if (revision <= this.compacted) return;
    const expected = Math.max(last, this.compacted, FIRST_REVISION) + 1;
    if (revision !== expected) throw new StoreOpenError("cut", `revision ${expected} is missing in ${path}`);
  }
}

/** The frames of a file. `end` is set when all have been read. */
class FramesOf implements Iterable<Frame> {
  end: ScanEnd = { kind: "room", at: 0 };

  constructor(private readonly file: JournalFile) {}

  *[Symbol.iterator](): Iterator<Frame> {
    this.end = yield* scanSegment(this.file.path);
  }
}

function checkHead({ path, from, to }: JournalFile, frame: Frame): void {
  const head = jsonIn(frame) as FileHead;
  if (head.format !== FORMAT) {
    throw new StoreOpenError("newer", `${path} has format ${head.format}; this release reads format ${FORMAT}`);
  }
  if (head.from !== from || head.to !== to) {
    throw new StoreOpenError(
      "foreign",
      `${path} is named incorrectly: its content is parts ${head.from} to ${head.to} of a journal`,
    );
  }
}

/** A record with the right checksum was written in this form: if it cannot be decoded, another program wrote it. */
function commitIn({ path }: JournalFile, { revision, content }: Frame, kept: Kept): Commit {
  try {
    return decodeRecord(revision, content, kept);
  } catch (error) {
    throw new StoreOpenError("foreign", `the record of revision ${revision} in ${path} is not a commit record`, {
      cause: error,
    });
  }
}

const jsonIn = ({ content }: Frame): unknown => JSON.parse(content.toString());
