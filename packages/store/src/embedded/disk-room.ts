// Whether the disk has room for more. A share of it is left to others, and to the journal itself for what gives room back.

import { statfs } from "node:fs/promises";

const MEBIBYTE = 1024 * 1024;
/** Left free on the disk. */
export const KEPT_FREE_BYTES = 16 * MEBIBYTE;

export type FreeBytes = () => Promise<number>;

/** Bytes that this process may still fill on the disk that holds a directory. */
export async function freeBytesAt(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

/** @returns why not; undefined where there is room for that much and what is kept */
export function shortage(free: number, wanted: number): string | undefined {
  if (free >= KEPT_FREE_BYTES + wanted) return undefined;
  const mebibytes = (count: number) => `${Math.floor(count / MEBIBYTE)} MiB`;
  return `${mebibytes(free)} are free on its disk, of which ${mebibytes(KEPT_FREE_BYTES)} are kept`;
}
