// Memory for the bytes of many objects that are read at once, side by side in pieces: an object's bytes by themselves cost as much again as
// a small object has, and leave gaps where they are freed. A piece stays as long as one of its objects does: it is small, so that little is
// kept for the sake of few.

const PIECE_BYTES = 16 * 1024;
/** What is longer lies by itself. */
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
