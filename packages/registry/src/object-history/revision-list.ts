// The revisions in the store: those of one object, without the ones of a former namespace of the same name.
import type { Revision } from "@orch/store";
import type { ResourceContext } from "../context/resource-context";
import type { ReadOptions } from "../contract/operations";
import { readFailure } from "../contract/store-failures";
import { type KeySpace, resourcePath } from "../objects/key-layout";
import { type ReadRevisionKey, readRevisionKey, revisionsAt, revisionsOf } from "./revision-key";

/** A recorded write, as its key tells. */
export interface KeptRevision extends ReadRevisionKey {
  readonly key: string;
  /** Revision of the write. */
  readonly revision: Revision;
}

const PAGE_KEYS = 1000;
/** Bounds one answer when the controller that removes revisions lags behind. */
const KEYS_MAX = 20_000;

export const revisionSpace = ({ prefix, definition: { group, plural } }: ResourceContext): KeySpace =>
  revisionsOf(prefix, resourcePath(group, plural));

/** Returns the revisions of one object at a store revision, the newest first. */
export async function revisionsOfObject(
  context: ResourceContext,
  path: string,
  at: { readonly revision: Revision },
  options: ReadOptions,
): Promise<readonly KeptRevision[]> {
  const found: KeptRevision[] = [];
  for await (const page of keptRevisions(context, revisionsAt(revisionSpace(context), path), at, options)) {
    found.push(...page);
    if (found.length >= KEYS_MAX) break;
  }
  const since = await namespaceStart(context, path, options);
  return found.filter((each) => since(each)).sort((one, other) => other.revision - one.revision);
}

/** Yields the revisions in a part of the keys, in pages and in the order of the keys. @throws StatusError */
export async function* keptRevisions(
  { store, prefix, resource }: Pick<ResourceContext, "store" | "prefix" | "resource">,
  { start, end }: KeySpace,
  { revision }: { readonly revision: Revision },
  options: ReadOptions,
): AsyncGenerator<readonly KeptRevision[]> {
  for (let from = start; ; ) {
    const { items, more } = await store
      .range({ start: from, end, limit: PAGE_KEYS, keysOnly: true, revision }, options)
      .catch((error: unknown) => {
        throw readFailure(resource, "list", error);
      });
    // A migration may have written the value again.
    yield items.flatMap(({ key, createRevision }) => {
      const parts = readRevisionKey(prefix, key);
      return parts === undefined ? [] : [{ ...parts, key, revision: createRevision }];
    });
    const last = items.at(-1)?.key;
    if (!more || last === undefined) return;
    from = `${last}\0`;
  }
}

/**
 * Returns the check whether a revision belongs to the present namespace of an object. The objects of a deleted namespace
 * keep their history until the bounds remove it; the users of a new namespace of the same name may be others.
 */
export async function namespaceStart(
  context: ResourceContext,
  path: string,
  options: ReadOptions,
): Promise<(revision: KeptRevision) => boolean> {
  const slash = path.indexOf("/");
  const namespaces = context.peer({ group: "", resource: "namespaces" });
  if (slash < 0 || namespaces === undefined) return () => true;
  try {
    const { items } = await namespaces.store.range(
      { start: namespaces.keys.start + path.slice(0, slash), limit: 1 },
      options,
    );
    const [item] = items;
    if (item === undefined) return () => true;
    if (namespaces.store === context.store) return ({ revision }) => revision >= item.createRevision;
    // Revisions of two stores cannot be compared.
    const createdMs = createdAt(namespaces, path.slice(0, slash));
    return ({ timeMs }) => timeMs >= createdMs;
  } catch (error) {
    throw readFailure(context.resource, "list", error);
  }
}

/** Returns 0 for a namespace that is not cached yet. */
function createdAt(namespaces: ResourceContext, name: string): number {
  const text = namespaces.cache.peek(name)?.metadata("creationTimestamp");
  return typeof text === "string" ? Date.parse(text) : 0;
}
