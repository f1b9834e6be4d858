// Rounds of a controller that every server runs on a shared store, and in each of which a single server acts: the one
// whose transaction changes the key that counts the rounds.
import type { Clock } from "@orch/platform";
import type { CallOptions, Store, TxnResult } from "@orch/store";

/** The longest delay of a Node.js timer. */
const INTERVAL_MAX_MS = 2 ** 31 - 1;

export interface Rounds {
  /** Stops the controller. A round in progress runs to its end. */
  stop(): void;
}

/** Plays rounds with pauses between them. @param play handles its errors */
export function startRounds(
  clock: Clock,
  { intervalMs, atOnce }: { readonly intervalMs: number; readonly atOnce: boolean },
  play: () => Promise<void>,
): Rounds {
  let cancel = () => {};
  let stopped = false;
  const next = async () => {
    await play();
    plan();
  };
  const plan = () => {
    if (!stopped) cancel = clock.after(Math.min(intervalMs, INTERVAL_MAX_MS), () => void next(), { background: true });
  };
  if (atOnce) void next();
  else plan();
  return {
    stop() {
      stopped = true;
      cancel();
    },
  };
}

export interface Turn {
  /** Whether this server is the first one in the round, and acts. */
  readonly isMine: boolean;
  /** Version of the key after the transaction, for the next round. */
  readonly keyVersion: number;
  /** Revision of the store. */
  readonly revision: number;
}

/** Lets the first server of a round act; the others learn the number of the round. @throws StoreError */
export async function takeTurn(
  store: Store,
  { key, value, keyVersion }: { readonly key: string; readonly value: string; readonly keyVersion: number },
  options: CallOptions,
): Promise<Turn> {
  const result = await store.txn(
    {
      compare: [{ key, target: "version", is: "=", version: keyVersion }],
      then: [{ kind: "put", key, value: Buffer.from(value) }],
      else: [{ kind: "range", start: key }],
    },
    options,
  );
  const { succeeded, revision } = result;
  return { isMine: succeeded, keyVersion: succeeded ? keyVersion + 1 : versionIn(result), revision };
}

function versionIn({ results }: TxnResult): number {
  const [found] = results;
  return found?.kind === "range" ? (found.items[0]?.version ?? 0) : 0;
}
