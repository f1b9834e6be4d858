// Controller that removes the revisions beyond their bounds: number, size and age, and those of a namespace that has been
// created anew. Every server runs one on each store, and a single one acts in each round. Only keys are read, because they tell everything that the bounds are checked by.
import { type Clock, EventLoopYielder, type Log } from "@orch/platform";
import type { Vocabulary } from "@orch/schema";
import type { Operation, Store } from "@orch/store";
import type { HistoryRules } from "../contract/history-rules";
import type { Entry } from "../contract/operations";
import { historyPrefix, type ReadRevisionKey, readRevisionKey } from "../object-history/revision-key";
import { statesOfNamespace } from "../object-history/states-kept";
import { type KeySpace, wholeKeySpace } from "../objects/key-layout";
import { type Rounds, startRounds, takeTurn } from "./rounds";

/** Key that counts the rounds. It lies outside the prefix of the objects. */
const roundKey = (prefix: string): string => `history_round${prefix}`;
const CALL_TIMEOUT_MS = 30_000;
const PAGE_KEYS = 1000;
/** Number of revisions removed in one transaction: etcd allows 128 operations. */
const REMOVED_AT_ONCE = 100;

export interface HistoryTrimmerParts {
  readonly store: Store;
  /** Root of the keys of objects. */
  readonly prefix: string;
  readonly rules: HistoryRules;
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  readonly log: Log;
  readonly intervalMs: number;
  /** Returns the cached namespace. */
  readonly namespace: (name: string) => Entry | undefined;
  /** Keys of the namespaces; undefined when another store holds them. */
  readonly namespaceKeys: KeySpace | undefined;
}

/** Starts the rounds; the first one begins after an interval. */
export function startHistoryTrimmer(parts: HistoryTrimmerParts): Rounds {
  const { store, prefix, clock, log, intervalMs } = parts;
  let keyVersion = 0;
  let stopped = false;
  const rounds = startRounds(clock, { intervalMs, atOnce: false }, async () => {
    try {
      const round = { key: roundKey(prefix), value: "1", keyVersion };
      const turn = await takeTurn(store, round, { timeoutMs: CALL_TIMEOUT_MS });
      keyVersion = turn.keyVersion;
      if (turn.isMine && !stopped) await trimHistory(parts, () => stopped);
    } catch (error) {
      if (!stopped) log.warn("cannot remove revisions from the history of objects", { error: String(error) });
    }
  });
  return {
    stop() {
      stopped = true;
      rounds.stop();
    },
  };
}

interface Kept extends ReadRevisionKey {
  readonly key: string;
  readonly revision: number;
}

/** Removes all revisions beyond the bounds once. @returns their number. @throws StoreError */
export async function trimHistory(
  parts: Omit<HistoryTrimmerParts, "intervalMs" | "log">,
  isStopped: () => boolean = () => false,
): Promise<number> {
  const { store, prefix } = parts;
  const starts = await namespaceStarts(parts);
  const { start, end } = wholeKeySpace(historyPrefix(prefix));
  const loop = new EventLoopYielder();
  let group: Kept[] = [];
  let doomed: string[] = [];
  let removed = 0;
  const remove = async () => {
    for (let at = 0; at < doomed.length && !isStopped(); at += REMOVED_AT_ONCE) {
      const keys = doomed.slice(at, at + REMOVED_AT_ONCE);
      const then = keys.map((key): Operation => ({ kind: "delete", start: key }));
      await store.txn({ compare: [], then }, { timeoutMs: CALL_TIMEOUT_MS });
      removed += keys.length;
    }
    doomed = [];
  };
  const close = () => {
    doomed.push(...beyondBounds(parts, group, starts));
    group = [];
  };
  for (let from = start; !isStopped(); ) {
    const page = await store.range(
      { start: from, end, limit: PAGE_KEYS, keysOnly: true },
      { timeoutMs: CALL_TIMEOUT_MS },
    );
    for (const { key, createRevision } of page.items) {
      const read = readRevisionKey(prefix, key);
      if (read === undefined) continue;
      const [first] = group;
      if (first !== undefined && (first.path !== read.path || first.resource !== read.resource)) close();
      group.push({ ...read, key, revision: createRevision });
      if (loop.isOver) await loop.next();
    }
    const last = page.items.at(-1)?.key;
    if (!page.more || last === undefined) break;
    await remove();
    from = `${last}\0`;
  }
  close();
  await remove();
  return removed;
}

/** Returns the keys of one object's revisions that are beyond a bound. */
function beyondBounds(
  { rules, clock, vocabulary, namespace: namespaceOf }: Omit<HistoryTrimmerParts, "intervalMs" | "log">,
  revisions: readonly Kept[],
  starts: ReadonlyMap<string, number>,
): string[] {
  const [first] = revisions;
  if (first === undefined) return [];
  const { resource, path } = first;
  const [group = "", plural = ""] = resource.split("/");
  const namespace = path.slice(0, Math.max(0, path.indexOf("/")));
  // The states of an object that no longer has a history stay until their age removes them: another replica may still
  // run with other options.
  const states =
    rules.statesOf({ group: group === "core" ? "" : group, resource: plural }) ||
    (namespace === "" ? 0 : statesOfNamespace(namespaceOf(namespace), vocabulary)) ||
    Number.POSITIVE_INFINITY;
  const oldestMs = rules.maxAgeMs === 0 ? 0 : clock.now() - rules.maxAgeMs;
  const start = starts.get(namespace) ?? 0;
  const newestFirst = [...revisions].sort((one, other) => other.revision - one.revision);
  let bytes = 0;
  return newestFirst
    .filter((each, at) => {
      bytes += each.bytes;
      return at >= states || (at > 0 && bytes > rules.maxBytes) || each.timeMs < oldestMs || each.revision < start;
    })
    .map(({ key }) => key);
}

/** Returns the revision at which each namespace was created; empty when another store holds the namespaces. */
async function namespaceStarts({
  store,
  namespaceKeys,
}: Pick<HistoryTrimmerParts, "store" | "namespaceKeys">): Promise<ReadonlyMap<string, number>> {
  const starts = new Map<string, number>();
  if (namespaceKeys === undefined) return starts;
  const { start, end } = namespaceKeys;
  for (let from = start; ; ) {
    const page = await store.range(
      { start: from, end, limit: PAGE_KEYS, keysOnly: true },
      { timeoutMs: CALL_TIMEOUT_MS },
    );
    for (const { key, createRevision } of page.items) starts.set(key.slice(start.length), createRevision);
    const last = page.items.at(-1)?.key;
    if (!page.more || last === undefined) return starts;
    from = `${last}\0`;
  }
}
