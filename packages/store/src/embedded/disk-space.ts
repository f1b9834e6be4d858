// Free space of the disk. A part is reserved for other programs, and for the journal's own compaction.

import { statfs } from "node:fs/promises";

const MEBIBYTE = 1024 * 1024;
/** Number of bytes left free on the disk. */
export const KEPT_FREE_BYTES = 16 * MEBIBYTE;

export type FreeBytes = () => Promise<number>;

/** Returns the bytes available to this process on the disk of a directory. */
export async function freeBytesAt(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

/** Returns how much of the free space the store may use. */
export const availableOf = (free: number): number => Math.max(0, free - KEPT_FREE_BYTES);

/** @returns the reason why the space does not suffice; undefined when it suffices for `wanted` and the reserve */
export function shortage(free: number, wanted: number): string | undefined {
  if (free >= KEPT_FREE_BYTES + wanted) return undefined;
  const mebibytes = (count: number) => `${Math.floor(count / MEBIBYTE)} MiB`;
  return `its disk has ${mebibytes(free)} of free space, of which ${mebibytes(KEPT_FREE_BYTES)} are reserved`;
}
