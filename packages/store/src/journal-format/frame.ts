// One frame of a journal file: a head with kind and length, the content, and an end. Head and content have a checksum
// each, so that content changed by the disk is never taken for what was written. All numbers are little-endian.
//
//    0  mark       "ORJ" and the letter of the kind
//    4  length     of the content
//    8  revision   a double; 0 if the kind has none
//   16  back       distance to the start of the write to which the frame belongs
//   20  checksum   CRC-32 of the content
//   24  checksum   CRC-32 of the head up to here
//   28  fill       0xff
//   32  the content, then 8 to 15 bytes 0xff, up to a multiple of 8
//
// Frames follow one another without a gap, and everything after the last one is zero. Both ends of a frame are free of
// zeros: a part of it that consists only of zeros was never written. See segment-scan.ts for the consequences.

import { crc32 } from "node:zlib";
import type { Revision } from "../contract/contract";

/** Frame kinds and their letters. */
const FRAME_LETTER = {
  /** First frame of every file: its position among the files. */
  file: "F",
  /** State at the beginning of a file, independent of the files before it. */
  state: "S",
  commit: "C",
  compacted: "K",
  leaseGranted: "L",
  leaseEnded: "l",
  /** Last frame of a file. */
  seal: "Z",
  /** First and last frame of a backup. */
  backup: "B",
  backupEnd: "E",
} as const;

export type FrameKind = keyof typeof FRAME_LETTER;

export const HEAD_BYTES = 32;
const END_BYTES = 8;
const ALIGNMENT = 8;
const FILL = 0xff;
const CHECKED_BYTES = 24;

const MARK = Object.fromEntries(
  Object.entries(FRAME_LETTER).map(([kind, letter]) => [kind, Buffer.from(`ORJ${letter}`, "latin1").readUInt32LE()]),
) as Readonly<Record<FrameKind, number>>;
const KIND_OF: ReadonlyMap<number, FrameKind> = new Map(
  Object.entries(MARK).map(([kind, mark]) => [mark, kind as FrameKind]),
);

/** Content of a frame to be encoded. */
export interface FrameContent {
  readonly kind: FrameKind;
  readonly revision: Revision;
  readonly length: number;
  /** Writes `length` bytes. */
  write(into: Buffer, at: number): void;
}

/** Returns a frame whose content is a JSON value. Used for rare frames, which people can read. */
export function jsonFrame(kind: FrameKind, value: unknown): FrameContent {
  const bytes = Buffer.from(JSON.stringify(value));
  return { kind, revision: 0, length: bytes.length, write: (into, at) => void bytes.copy(into, at) };
}

/** Returns the number of bytes of a frame in the file. */
export function frameLength(contentLength: number): number {
  return HEAD_BYTES + Math.ceil((contentLength + END_BYTES) / ALIGNMENT) * ALIGNMENT;
}

/** Encodes all frames of one write, one after the other. */
export function encodeFrames(contents: readonly FrameContent[]): Buffer {
  let bytes = 0;
  for (const { length } of contents) bytes += frameLength(length);
  const encoded = Buffer.allocUnsafe(bytes);
  let at = 0;
  for (const content of contents) at += encodeFrame(content, encoded, at);
  return encoded;
}

function encodeFrame({ kind, revision, length, write }: FrameContent, into: Buffer, at: number): number {
  const start = at + HEAD_BYTES;
  const end = at + frameLength(length);
  write(into, start);
  into.fill(FILL, start + length, end);
  into.writeUInt32LE(MARK[kind], at);
  into.writeUInt32LE(length, at + 4);
  into.writeDoubleLE(revision, at + 8);
  into.writeUInt32LE(at, at + 16);
  into.writeUInt32LE(crc32(into.subarray(start, start + length)), at + 20);
  into.writeUInt32LE(crc32(into.subarray(at, at + CHECKED_BYTES)), at + 24);
  into.fill(FILL, at + 28, start);
  return end - at;
}

export interface FrameHead {
  readonly kind: FrameKind;
  readonly length: number;
  readonly revision: Revision;
  readonly back: number;
  readonly checksum: number;
}

/** Decodes a head. @returns undefined for bytes that are not a head, or a changed one */
export function decodeHead(bytes: Buffer, at: number): FrameHead | undefined {
  const kind = KIND_OF.get(bytes.readUInt32LE(at));
  if (kind === undefined) return undefined;
  if (bytes.readUInt32LE(at + 24) !== crc32(bytes.subarray(at, at + CHECKED_BYTES))) return undefined;
  return {
    kind,
    length: bytes.readUInt32LE(at + 4),
    revision: bytes.readDoubleLE(at + 8),
    back: bytes.readUInt32LE(at + 16),
    checksum: bytes.readUInt32LE(at + 20),
  };
}

export const isIntact = ({ checksum }: FrameHead, content: Buffer): boolean => crc32(content) === checksum;
