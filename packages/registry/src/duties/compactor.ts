// The duty to let the store forget: every interval, what was the newest revision an interval ago becomes the oldest that is kept. Every
// server runs one of these on the shared store; a transaction on one key lets a single one of them act in each round.
//
//   round   key's version   compacts to     remembers for the next round
//   1       0 -> 1          nothing         revision 700
//   2       1 -> 2          700             revision 1400      another server, that still believes in version 1, loses and learns 2
//
// Source: resource-api, "Limits": history is kept for 5 minutes by default.

import type { Clock, Log } from "@orch/platform";
import { type Store, StoreError, type TxnResult } from "@orch/store";

/** Beside the objects, not among them. */
const ROUND_KEY = "compact_rev_key";
const CALL_TIMEOUT_MS = 30_000;

export interface CompactorParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** Between rounds, the first of which begins at once; 0: never compact. */
  readonly intervalMs: number;
}

export interface Compactor {
  /** A round that has begun goes to its end. */
  stop(): void;
}

/** The most that a timer can wait. */
const INTERVAL_MAX_MS = 2 ** 31 - 1;

export function startCompactor(parts: CompactorParts): Compactor {
  const { clock, log } = parts;
  const intervalMs = Math.min(parts.intervalMs, INTERVAL_MAX_MS);
  let round: Round = { keyVersion: 0, revision: 0 };
  let cancel = () => {};
  let stopped = false;
  const play = async () => {
    try {
      round = await playRound(parts, round);
    } catch (error) {
      log.warn("cannot compact the store", { error: String(error) });
    }
    if (!stopped) cancel = clock.after(intervalMs, () => void play(), { background: true });
  };
  if (intervalMs > 0) void play();
  return {
    stop() {
      stopped = true;
      cancel();
    },
  };
}

/** What a server knows after a round. */
export interface Round {
  /** Version of the key that rounds are counted by. */
  readonly keyVersion: number;
  /** The newest revision then; 0 before the first round. */
  readonly revision: number;
}

type RoundParts = Pick<CompactorParts, "store" | "log">;

/**
 * Acts if this server is the first in this round, and otherwise learns how far the others are.
 * @throws StoreError
 */
async function playRound(parts: RoundParts, last: Round): Promise<Round> {
  try {
    return await takeTurn(parts, last);
  } catch (error) {
    // A full store counts no rounds, and of all times it must forget now: everybody does, each to what it knows to be old.
    if (!(error instanceof StoreError) || error.code !== "full") throw error;
    if (last.revision > 0) await compact(parts.store, parts.log, last.revision);
    return {
      keyVersion: last.keyVersion,
      revision: (await parts.store.status({ timeoutMs: CALL_TIMEOUT_MS })).revision,
    };
  }
}

async function takeTurn({ store, log }: RoundParts, last: Round): Promise<Round> {
  const result = await store.txn(
    {
      compare: [{ key: ROUND_KEY, target: "version", is: "=", version: last.keyVersion }],
      then: [{ kind: "put", key: ROUND_KEY, value: Buffer.from(String(last.revision)) }],
      else: [{ kind: "range", start: ROUND_KEY }],
    },
    { timeoutMs: CALL_TIMEOUT_MS },
  );
  if (!result.succeeded) return { keyVersion: versionIn(result), revision: result.revision };
  if (last.revision > 0) await compact(store, log, last.revision);
  return { keyVersion: last.keyVersion + 1, revision: result.revision };
}

async function compact(store: Store, log: Log, revision: number): Promise<void> {
  try {
    await store.compact(revision, { timeoutMs: CALL_TIMEOUT_MS });
    log.info("compacted the store", { revision });
  } catch (error) {
    // Somebody has compacted further by other means: the duty is done. So it is where the store has been brought back to a state of before:
    // what is old there, the next round will know.
    if (!(error instanceof StoreError) || (error.code !== "compacted" && error.code !== "futureRevision")) throw error;
  }
}

function versionIn({ results }: TxnResult): number {
  const [found] = results;
  return found?.kind === "range" ? (found.items[0]?.version ?? 0) : 0;
}
