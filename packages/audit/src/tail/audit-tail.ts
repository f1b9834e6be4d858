// Reads the newest events of an audit log from the end of its file. The work for one reader is bounded in bytes, and
// goes on in short slices of the event loop.
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { expired } from "@orch/machinery";
import type { EventLoopYielder } from "@orch/platform";
import type { EventFilter } from "./event-filter";
import { EventMembers } from "./event-members";
import { type FoundLine, linesBackward, PIECE_BYTES, PieceReader } from "./lines-backward";

export interface TailOptions {
  readonly filter: EventFilter;
  /** Maximum number of events. */
  readonly limit: number;
  /** Where to go on: the position of an earlier answer. Default: the end of the file. */
  readonly position?: TailPosition | undefined;
}

/** A place in one file, which rotation leaves behind. */
export interface TailPosition {
  readonly inode: number;
  readonly offset: number;
}

export interface Tail {
  /** JSON texts of the events without the bodies of requests and responses, the newest first. */
  readonly events: readonly string[];
  /** Lines that are no event, or have one that is too large. */
  readonly unreadable: number;
  readonly readBytes: number;
  /** Where older events follow; undefined at the beginning of the file. */
  readonly next: TailPosition | undefined;
}

/** Bytes that are read for one answer. */
const READ_MAX_BYTES = 16 * 1024 * 1024;
/** Size of the events from which an answer is complete. */
const ANSWER_BYTES = 2 * 1024 * 1024;
/** Lines that are looked at for one answer. */
const LINES_MAX = 50_000;

export class NoRegularFileError extends Error {}

/**
 * Reads the tail of a file, which may grow and be renamed meanwhile. A file that does not exist has no events.
 * @param isGone whether nobody waits for the events any more
 * @throws NoRegularFileError for a pipe or a device; StatusError Expired (410) for a position in another file
 */
export async function readTail(
  path: string,
  options: TailOptions,
  { loop, isGone }: { readonly loop: Pick<EventLoopYielder, "isOver" | "next">; readonly isGone: () => boolean },
): Promise<Tail> {
  const file = await opened(path);
  if (file === undefined) {
    if (options.position !== undefined) throw inAnotherFile();
    return { events: [], unreadable: 0, readBytes: 0, next: undefined };
  }
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new NoRegularFileError(`${path} is not a regular file`);
    const { position = { inode: found.ino, offset: found.size } } = options;
    if (position.inode !== found.ino || position.offset > found.size) throw inAnotherFile();
    return await readFrom(new PieceReader(file), position, { ...options, loop, isGone });
  } finally {
    await file.close();
  }
}

/** Opening a pipe must not wait for its writer. */
async function opened(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

const inAnotherFile = () =>
  expired("continue: the log has been rotated or removed since: read its newest events, without continue");

interface Reading extends TailOptions {
  readonly loop: Pick<EventLoopYielder, "isOver" | "next">;
  readonly isGone: () => boolean;
}

async function readFrom(reader: PieceReader, { inode, offset }: TailPosition, reading: Reading): Promise<Tail> {
  const { filter, limit, loop, isGone } = reading;
  const events: string[] = [];
  let bytes = 0;
  let unreadable = 0;
  let lines = 0;
  /** End of the newest line that was not looked at. */
  let rest = offset;
  const until = (next: number | undefined): Tail => ({
    events,
    unreadable,
    readBytes: reader.readBytes,
    next: next === undefined || next < 0 ? undefined : { inode, offset: next },
  });
  // At the end of the file, a line may be half written.
  for await (const found of linesBackward(reader, { from: offset, endsLine: reading.position !== undefined })) {
    if (isGone()) break;
    if (loop.isOver) await loop.next();
    if (typeof found === "number") {
      if (reader.readBytes < READ_MAX_BYTES) continue;
      if (rest < offset) return until(rest);
      unreadable += 1; // a line that is longer than what is read for one answer
      return until(found);
    }
    rest = found.start - 1;
    lines += 1;
    const text = await eventIn(found, reader, loop);
    const event = text === undefined ? undefined : parsed(text);
    if (text === undefined || event === undefined) unreadable += 1;
    else if (filter(event)) {
      events.push(text);
      bytes += text.length;
    }
    if (events.length >= limit || bytes >= ANSWER_BYTES || lines >= LINES_MAX) return until(rest);
  }
  return until(undefined);
}

async function eventIn(
  { start, end, bytes }: FoundLine,
  reader: PieceReader,
  loop: Reading["loop"],
): Promise<string | undefined> {
  const members = new EventMembers();
  if (bytes !== undefined) members.take(bytes);
  else {
    for (let at = start; at < end; at += PIECE_BYTES) {
      members.take(await reader.read(at, Math.min(end, at + PIECE_BYTES)));
      if (loop.isOver) await loop.next();
    }
  }
  return members.text();
}

function parsed(text: string): object | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
