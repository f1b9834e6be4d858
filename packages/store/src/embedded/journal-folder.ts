// The files of a journal: a chain without a gap. Each says in its name which places of the chain it covers; a rewritten one covers those
// that it stands for, and makes the files that it covers void. Example, after the first three were rewritten into one:
//
//   journal-00000001-00000003   what is left of the oldest
//   journal-00000004-00000004   full
//   journal-00000005-00000005   being written

import { closeSync, fsyncSync, openSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { StoreOpenError } from "../open-problem";
import { encodeFrames, type FrameContent, jsonFrame } from "./frame";
import { type JournalState, stateFrame } from "./journal-state";

/** Of the files. Raised when one that is written cannot be read by those who read the former. */
export const FORMAT = 2;

export interface Place {
  readonly from: number;
  readonly to: number;
}

export interface JournalFile extends Place {
  readonly path: string;
}

/** What the first frame of a file says. */
export interface FileHead extends Place {
  readonly format: number;
}

export const fileHead = ({ from, to }: Place): FrameContent =>
  jsonFrame("file", { format: FORMAT, from, to } satisfies FileHead);

/** How a file begins that is to be the newest. */
export function beginning(place: Place, state: JournalState): Buffer {
  return encodeFrames([fileHead(place), stateFrame(state)]);
}

const NAME = /^journal-(\d{8,})-(\d{8,})$/;
/** A file that is being made. What is left of one after a crash is worth nothing. */
const UNFINISHED = /^unfinished-/;

export const journalPath = (directory: string, { from, to }: Place): string =>
  join(directory, `journal-${digits(from)}-${digits(to)}`);

export const unfinishedPath = (directory: string, what: string): string => join(directory, `unfinished-${what}`);

const digits = (place: number) => String(place).padStart(8, "0");

export interface FolderContent {
  /** In order; those that another one covers are left out. */
  readonly files: readonly JournalFile[];
  /** Those that are left out: what a rewritten file stands for. */
  readonly covered: readonly JournalFile[];
  /** Paths of what a crash has left half made. */
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

/** @throws StoreOpenError cut, where a file is missing */
export function checkChain(directory: string, files: readonly JournalFile[]): void {
  let next = 1;
  for (const { from, to } of files) {
    if (from !== next) throw missing(directory, next);
    next = to + 1;
  }
}

export const missing = (directory: string, place: number) =>
  new StoreOpenError("cut", `a file of the store in ${directory} is missing: number ${place} of its journal`);

/** What was made, renamed or removed in a directory is durable only after this. */
export function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
