// Sizes as people read them.
const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

/** Returns a size in the largest unit of which it has one. */
export function bytesText(bytes: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), UNITS.length - 1);
  return power === 0 ? `${bytes} B` : `${(bytes / 1024 ** power).toFixed(1)} ${UNITS[power]}`;
}
