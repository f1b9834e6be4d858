// The history of the objects of one resource, as its storage offers it.
import type { ResourceContext } from "../context/resource-context";
import type { ObjectHistory } from "../contract/object-history";
import type { StoredEntry } from "../objects/stored-entry";
import { deletedObjects } from "./deleted-objects";
import { revisionsFor, stateAt } from "./read-history";
import { restoredBody } from "./restored-body";

/** Returns undefined for a resource whose objects have no history. */
export function objectHistory(context: ResourceContext): ObjectHistory | undefined {
  const terms = context.historyTerms;
  if (terms === undefined) return undefined;
  return {
    isListed: terms.states > 0,
    revisions: (key, options) => revisionsFor(context, key, options),
    state: (key, revision, options) => stateAt(context, key, revision, options),
    deleted: (namespace, options) => deletedObjects(context, namespace, options),
    bodyOf: (entry, version, resourceVersion) => restoredBody(entry as StoredEntry, version, resourceVersion),
  };
}
