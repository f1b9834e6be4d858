// Encodes commits as frames, in pieces of a size suitable for writing or sending.

import type { Commit } from "../local/version-index";
import { commitFrame } from "./commit-record";
import { encodeFrames, type FrameContent } from "./frame";

const PIECE_BYTES = 256 * 1024;

export function* framesInPieces(commits: Iterable<Commit>): Iterable<Buffer> {
  let frames: FrameContent[] = [];
  let bytes = 0;
  for (const commit of commits) {
    const frame = commitFrame(commit);
    frames.push(frame);
    bytes += frame.length;
    if (bytes < PIECE_BYTES) continue;
    yield encodeFrames(frames);
    frames = [];
    bytes = 0;
  }
  if (frames.length > 0) yield encodeFrames(frames);
}
