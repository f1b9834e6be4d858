// Records the vocabulary of a store at its first use. It cannot change, because stored objects contain names of it.
import type { VocabularyName } from "@orch/schema";
import type { Store } from "@orch/store";

export class WrongVocabularyError extends Error {
  override readonly name = "WrongVocabularyError";
}

/** @throws WrongVocabularyError; StoreError */
export async function recordVocabulary(store: Store, prefix: string, name: VocabularyName): Promise<void> {
  const key = `${prefix}/vocabulary`;
  const { succeeded, results } = await store.txn({
    compare: [{ key, target: "createRevision", is: "=", revision: 0 }],
    then: [{ kind: "put", key, value: Buffer.from(name) }],
    else: [{ kind: "range", start: key }],
  });
  if (succeeded) return;
  const [found] = results;
  const recorded = found?.kind === "range" ? found.items[0]?.value.toString() : undefined;
  if (recorded === name) return;
  throw new WrongVocabularyError(
    `--vocabulary: "${name}": this store was first used with ${recorded}, and holds objects with its names: start with --vocabulary=${recorded}, or on another store (--data-dir, or --etcd-prefix)`,
  );
}
