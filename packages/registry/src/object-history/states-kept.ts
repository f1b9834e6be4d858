// The number of states of an object that are kept: by `--history`, or by the annotation of its namespace.
import { statesOfAnnotation } from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";
import type { ResourceContext } from "../context/resource-context";
import type { HistoryTerms } from "../contract/history-rules";
import type { Entry } from "../contract/operations";
import { readStored } from "../read/get";

/** Returns the number of states of an object that are kept. The store is asked only where nothing is cached. */
export function statesKept(context: ResourceContext, terms: HistoryTerms, path: string): number | Promise<number> {
  if (terms.states > 0) return terms.states;
  const namespaces = context.peer({ group: "", resource: "namespaces" });
  const namespace = path.slice(0, Math.max(0, path.indexOf("/")));
  if (namespaces === undefined || namespace === "") return 0;
  if (namespaces.watchCache.follows) return statesOfNamespace(namespaces.cache.peek(namespace), context.vocabulary);
  return readStored(namespaces, "get", namespace).then((entry) => statesOfNamespace(entry, context.vocabulary));
}

/** Returns the number of states that the annotation of a namespace asks for; 0 when it has none, or a wrong one. */
export function statesOfNamespace(namespace: Entry | undefined, vocabulary: Vocabulary): number {
  return (
    namespace?.made(vocabulary.annotations, () => {
      const annotations = namespace.metadata("annotations") as Readonly<Record<string, string>> | undefined;
      return statesOfAnnotation(annotations?.[vocabulary.annotations.history] ?? "") ?? 0;
    }) ?? 0
  );
}
