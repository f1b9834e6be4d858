// The namespaces that exist in every cluster. Source: facts, apiserver-hooks.md "Default namespaces".
import type { Vocabulary } from "@orch/schema";

/** Where objects go when a client names no namespace. */
export const DEFAULT_NAMESPACE = "default";

/** Names, in the order in which they are made. */
export function systemNamespaces(vocabulary: Vocabulary): readonly string[] {
  const { system, public: readableByAll, nodeLease } = vocabulary.namespaces;
  return [DEFAULT_NAMESPACE, system, readableByAll, nodeLease];
}
