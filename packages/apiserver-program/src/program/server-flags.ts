// Flags of the API server with the spellings of both vocabularies.
import type { KnownFlags } from "@orch/machinery";
import { VOCABULARY_NAMES, type Vocabulary, vocabularyOf } from "@orch/schema";
import { flagAliases, SERVER_FLAGS } from "@orch/server-config";

export function knownServerFlags(): KnownFlags {
  const [orch, other] = VOCABULARY_NAMES.map(vocabularyOf) as [Vocabulary, Vocabulary];
  return { table: SERVER_FLAGS, aliases: flagAliases(orch, other) };
}
