// Deletes the objects of a definition before the definition itself. Each is deleted as by a client, so finalizers are
// awaited. All replicas take part, each in its own random order; objects already deleted by another replica are
// skipped.
import { isReason } from "@orch/machinery";
import type { Entry, ResourceStorage } from "@orch/registry";

export interface CleanupParts {
  readonly storage: ResourceStorage;
  /** Deletes one object of any size. */
  readonly remove: (of: { readonly namespace: string; readonly name: string; readonly entry?: Entry }) => Promise<void>;
  /** Called from time to time with the number of remaining objects. */
  readonly progress: (left: number) => Promise<void>;
  readonly pause: (ms: number) => Promise<void>;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

const WORKERS = 8;
/** Number of deletions between two counts of the remaining objects. */
const ROUND = 500;
const FIRST_WAIT_MS = 50;
const LAST_WAIT_MS = 2000;
/**
 * Delay before the final check: another replica may learn of the deletion a little later and accept a creation until
 * then.
 */
const CONFIRM_MS = 100;

/** Resolves when no object is left. @throws errors of the list request, and AbortError by the signal */
export async function deleteInstances(parts: CleanupParts): Promise<void> {
  const { storage, signal, pause } = parts;
  let waitMs = FIRST_WAIT_MS;
  let wasEmpty = false;
  for (;;) {
    signal.throwIfAborted();
    const { entries } = await storage.list({ namespace: "", read: { kind: "mostRecent" }, selection: {}, limit: 0 });
    const unread = unreadableKeys(storage);
    const left = entries.length + unread.length;
    if (left === 0 && wasEmpty) return;
    wasEmpty = left === 0;
    if (wasEmpty) {
      await pause(CONFIRM_MS);
      continue;
    }
    await parts.progress(left);
    const due = entries.filter((entry) => !entry.metadata("deletionTimestamp"));
    if (due.length === 0 && unread.length === 0) {
      await pause(waitMs);
      waitMs = Math.min(2 * waitMs, LAST_WAIT_MS);
      continue;
    }
    waitMs = FIRST_WAIT_MS;
    const keys = [...due.map((entry) => ({ namespace: entry.namespace, name: entry.name, entry })), ...unread];
    await deleteAll(shuffled(keys, parts.random).slice(0, ROUND), parts);
  }
}

type Key = Parameters<CleanupParts["remove"]>[0];

async function deleteAll(keys: readonly Key[], { remove, storage, signal }: CleanupParts): Promise<void> {
  const queue = keys.values();
  const worker = async (): Promise<void> => {
    for (const key of queue) {
      signal.throwIfAborted();
      if (key.entry !== undefined && storage.peek(key) === undefined) continue;
      await remove(key).catch((error: unknown) => {
        if (!isReason(error, "NotFound") && !isReason(error, "Conflict")) throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
}

/** Returns the keys of unreadable objects, which no list contains. */
function unreadableKeys(storage: ResourceStorage): Key[] {
  const { paths } = storage.unreadable("", Number.POSITIVE_INFINITY);
  return paths.map((path) => {
    const slash = storage.definition.scope === "Namespaced" ? path.indexOf("/") : -1;
    return { namespace: path.slice(0, Math.max(0, slash)), name: path.slice(slash + 1) };
  });
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const mixed = [...items];
  for (let at = mixed.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [mixed[at], mixed[other]] = [mixed[other] as T, mixed[at] as T];
  }
  return mixed;
}
