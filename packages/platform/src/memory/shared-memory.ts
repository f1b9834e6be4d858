// Memory for the bytes of many objects that are read at once. They share pieces: a buffer per object costs as much as a
// small object, and fragments the heap when freed. A piece is retained while one of its objects is; it is small, so
// that little is retained.

const PIECE_BYTES = 16 * 1024;
/** Longer values get a buffer of their own. */
const SHARED_MAX_BYTES = PIECE_BYTES / 4;

export function sharedMemory(): (bytes: number) => Buffer {
  let piece = Buffer.alloc(0);
  let used = 0;
  return (bytes) => {
    if (bytes > SHARED_MAX_BYTES) return Buffer.allocUnsafeSlow(bytes);
    if (used + bytes > piece.length) {
      piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
      used = 0;
    }
    used += bytes;
    return piece.subarray(used - bytes, used);
  };
}
