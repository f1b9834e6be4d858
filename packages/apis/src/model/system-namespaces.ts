// Namespaces that exist in every cluster. Source: Kubernetes documentation, "Namespaces", "Initial namespaces".
import type { Vocabulary } from "@orch/schema";

/** Namespace of objects when the client names none. */
export const DEFAULT_NAMESPACE = "default";

/** Returns the names in the order of creation. */
export function systemNamespaces(vocabulary: Vocabulary): readonly string[] {
  const { system, public: readableByAll, nodeLease } = vocabulary.namespaces;
  return [DEFAULT_NAMESPACE, system, readableByAll, nodeLease];
}
