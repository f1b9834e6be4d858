// Ends open streams gradually while the server stops, so that their clients do not all reconnect at once.

export interface EndOverTime<Stream> {
  /** 0: all streams end at once. */
  readonly overMs: number;
  /** Whether a stream has ended by itself. */
  readonly hasEnded: (stream: Stream) => boolean;
  readonly end: (stream: Stream) => void;
  /** Default: setTimeout. */
  readonly pause?: (ms: number) => Promise<void>;
}

const ROUND_MS = 50;
const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Resolves when each stream has been ended or has ended by itself. */
export async function endOverTime<Stream>(
  streams: readonly Stream[],
  { overMs, hasEnded, end, pause = wait }: EndOverTime<Stream>,
): Promise<void> {
  let left = streams;
  for (let rounds = Math.max(1, Math.ceil(overMs / ROUND_MS)); left.length > 0; rounds -= 1) {
    const count = Math.ceil(left.length / Math.max(1, rounds));
    for (const stream of left.slice(0, count)) end(stream);
    left = left.slice(count);
    if (left.length > 0) await pause(ROUND_MS);
    left = left.filter((stream) => !hasEnded(stream));
  }
}
