// Controller that removes the revisions beyond their bounds: number, size and age, and those of a namespace that has been
// created anew. Every server runs one on each store. A transaction on one key lets a single one of them act in each
// round, as compactor.ts does. Only keys are read, because they tell everything that the bounds are checked by.
import { type Clock, EventLoopYielder, type Log } from "@orch/platform";
import type { Vocabulary } from "@orch/schema";
import type { Operation, Store, TxnResult } from "@orch/store";
import type { HistoryRules } from "../contract/history-rules";
import type { Entry } from "../contract/registry";
import { type KeySpace, wholeKeySpace } from "../objects/key-layout";
import { historyPrefix, type ReadRevisionKey, readRevisionKey } from "./revision-key";
import { statesOfNamespace } from "./states-kept";

/** Key that counts the rounds. It lies outside the prefix of the objects. */
const roundKey = (prefix: string): string => `history_round${prefix}`;
const CALL_TIMEOUT_MS = 30_000;
const PAGE_KEYS = 1000;
/** Number of revisions removed in one transaction: etcd allows 128 operations. */
const REMOVED_AT_ONCE = 100;
const INTERVAL_MAX_MS = 2 ** 31 - 1;

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

/** Starts the rounds; the first one begins after an interval. @returns what stops them */
export function startHistoryTrimmer(parts: HistoryTrimmerParts): { stop(): void } {
  const intervalMs = Math.min(parts.intervalMs, INTERVAL_MAX_MS);
  let keyVersion = 0;
  let cancel = () => {};
  let stopped = false;
  const isStopped = () => stopped;
  const play = async () => {
    try {
      const turn = await takeTurn(parts, keyVersion);
      keyVersion = turn.keyVersion;
      if (turn.isMine && !stopped) await trimHistory(parts, isStopped);
    } catch (error) {
      if (!stopped) parts.log.warn("cannot remove revisions from the history of objects", { error: String(error) });
    }
    plan();
  };
  const plan = () => {
    if (!stopped) cancel = parts.clock.after(intervalMs, () => void play(), { background: true });
  };
  plan();
  return {
    stop() {
      stopped = true;
      cancel();
    },
  };
}

/** Lets the first server of a round act; the others learn its number. */
async function takeTurn(
  { store, prefix }: Pick<HistoryTrimmerParts, "store" | "prefix">,
  version: number,
): Promise<{ keyVersion: number; isMine: boolean }> {
  const key = roundKey(prefix);
  const result = await store.txn(
    {
      compare: [{ key, target: "version", is: "=", version }],
      then: [{ kind: "put", key, value: Buffer.from("1") }],
      else: [{ kind: "range", start: key }],
    },
    { timeoutMs: CALL_TIMEOUT_MS },
  );
  return result.succeeded
    ? { keyVersion: version + 1, isMine: true }
    : { keyVersion: versionIn(result), isMine: false };
}

function versionIn({ results }: TxnResult): number {
  const [found] = results;
  return found?.kind === "range" ? (found.items[0]?.version ?? 0) : 0;
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
    for (const { key, modRevision } of page.items) {
      const read = readRevisionKey(prefix, key);
      if (read === undefined) continue;
      const [first] = group;
      if (first !== undefined && (first.path !== read.path || first.resource !== read.resource)) close();
      group.push({ ...read, key, revision: modRevision });
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
