// Controller that compacts the store: every interval, the revision that was the newest one interval ago becomes the
// oldest one that is kept. Every server runs one on the shared store. A transaction on one key lets a single one of
// them act in each round.
//
//   round   key's version   compacts to     remembers for the next round
//   1       0 -> 1          nothing         revision 700
//   2       1 -> 2          700             revision 1400      another server, still at version 1, loses and learns 2
//
// Source: staging/src/k8s.io/apiserver/pkg/storage/etcd3/compact.go.

import type { Clock, Log } from "@orch/platform";
import { type Store, StoreError } from "@orch/store";
import { type Rounds, startRounds, takeTurn } from "./rounds";

/** The key lies outside the prefix of the objects. */
const ROUND_KEY = "compact_rev_key";
const CALL_TIMEOUT_MS = 30_000;

export interface CompactorParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** Time between rounds; the first begins at once. 0: never compact. */
  readonly intervalMs: number;
  /** Called after each round: `done` by this server or by another one, or `failed`. */
  readonly observe?: (result: "done" | "failed") => void;
}

export type Compactor = Rounds;

export function startCompactor(parts: CompactorParts): Compactor {
  const { clock, log, intervalMs } = parts;
  if (intervalMs <= 0) return { stop() {} };
  let round: Round = { keyVersion: 0, revision: 0 };
  return startRounds(clock, { intervalMs, atOnce: true }, async () => {
    try {
      round = await playRound(parts, round);
      parts.observe?.("done");
    } catch (error) {
      parts.observe?.("failed");
      log.warn("cannot compact the store", { error: String(error) });
    }
  });
}

/** The state of a server after a round. */
interface Round {
  /** Version of the key that counts the rounds. */
  readonly keyVersion: number;
  /** The newest revision at that time; 0 before the first round. */
  readonly revision: number;
}

type RoundParts = Pick<CompactorParts, "store" | "log">;

/**
 * Compacts if this server is the first one in this round; otherwise learns the round of the others.
 * @throws StoreError
 */
async function playRound(parts: RoundParts, last: Round): Promise<Round> {
  try {
    return await compactInTurn(parts, last);
  } catch (error) {
    // A full store rejects the write that counts the round, and must be compacted all the same. Every server then
    // compacts to the revision that it knows to be old.
    if (!(error instanceof StoreError) || error.code !== "full") throw error;
    if (last.revision > 0) await compact(parts.store, parts.log, last.revision);
    return {
      keyVersion: last.keyVersion,
      revision: (await parts.store.status({ timeoutMs: CALL_TIMEOUT_MS })).revision,
    };
  }
}

async function compactInTurn({ store, log }: RoundParts, last: Round): Promise<Round> {
  const round = { key: ROUND_KEY, value: String(last.revision), keyVersion: last.keyVersion };
  const { isMine, keyVersion, revision } = await takeTurn(store, round, { timeoutMs: CALL_TIMEOUT_MS });
  if (isMine && last.revision > 0) await compact(store, log, last.revision);
  return { keyVersion, revision };
}

async function compact(store: Store, log: Log, revision: number): Promise<void> {
  try {
    await store.compact(revision, { timeoutMs: CALL_TIMEOUT_MS });
    log.info("compacted the store", { revision });
  } catch (error) {
    // Another process has compacted further, so nothing is left to do. The same holds after a restore of the store: the
    // next round learns its revision.
    if (!(error instanceof StoreError) || (error.code !== "compacted" && error.code !== "futureRevision")) throw error;
  }
}
