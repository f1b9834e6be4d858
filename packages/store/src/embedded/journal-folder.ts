// The files of a journal: a chain without a gap. The name of each file tells which places of the chain it covers. A
// rewritten file covers the places of the files that it replaces, which are then obsolete. Example, after the first
// three were rewritten into one:
//
//   journal-00000001-00000003   the rewritten oldest files
//   journal-00000004-00000004   full
//   journal-00000005-00000005   being written

import { closeSync, fsyncSync, openSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { StoreOpenError } from "../contract/open-problem";
import { encodeFrames, type FrameContent, jsonFrame } from "../journal-format/frame";
import { type JournalState, stateFrame } from "../journal-format/journal-state";

/** Version of the file format. Raised when older releases cannot read a new file. */
export const FORMAT = 2;

export interface Place {
  readonly from: number;
  readonly to: number;
}

export interface JournalFile extends Place {
  readonly path: string;
}

/** Content of the first frame of a file. */
export interface FileHead extends Place {
  readonly format: number;
}

export const fileHead = ({ from, to }: Place): FrameContent =>
  jsonFrame("file", { format: FORMAT, from, to } satisfies FileHead);

/** Encodes the beginning of a new newest file. */
export function beginning(place: Place, state: JournalState): Buffer {
  return encodeFrames([fileHead(place), stateFrame(state)]);
}

const NAME = /^journal-(\d{8,})-(\d{8,})$/;
/** Name of a file under construction. After a crash it is obsolete. */
const UNFINISHED = /^unfinished-/;

export const journalPath = (directory: string, { from, to }: Place): string =>
  join(directory, `journal-${digits(from)}-${digits(to)}`);

export const unfinishedPath = (directory: string, what: string): string => join(directory, `unfinished-${what}`);

const digits = (place: number) => String(place).padStart(8, "0");

export interface FolderContent {
  /** In order, without files covered by another one. */
  readonly files: readonly JournalFile[];
  /** The covered files, which a rewritten file replaces. */
  readonly covered: readonly JournalFile[];
  /** Paths of files that a crash left incomplete. */
  readonly unfinished: readonly string[];
}

export function listJournal(directory: string): FolderContent {
  const found: JournalFile[] = [];
  const unfinished: string[] = [];
  for (const name of readdirSync(directory)) {
    const [, from, to] = NAME.exec(name) ?? [];
    if (from !== undefined) found.push({ path: join(directory, name), from: Number(from), to: Number(to) });
    else if (UNFINISHED.test(name)) unfinished.push(join(directory, name));
  }
  found.sort((a, b) => a.from - b.from);
  const isCovered = (file: JournalFile) =>
    found.some((other) => other !== file && other.from <= file.from && other.to >= file.to);
  return { files: found.filter((file) => !isCovered(file)), covered: found.filter(isCovered), unfinished };
}

/** @throws StoreOpenError cut, when a file is missing */
export function checkChain(directory: string, files: readonly JournalFile[]): void {
  let next = 1;
  for (const { from, to } of files) {
    if (from !== next) throw missing(directory, next);
    next = to + 1;
  }
}

export const missing = (directory: string, place: number) =>
  new StoreOpenError("cut", `a file of the store in ${directory} is missing: number ${place} of its journal`);

/** Makes created, renamed and removed entries of a directory durable. */
export function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
