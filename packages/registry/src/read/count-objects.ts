// Counts the objects of a resource in the store. The cache cannot tell, because it shows every object in one version.

import type { ResourceContext } from "../context/resource-context";
import type { ObjectCounts, ReadOptions } from "../contract/operations";

const FIRST_PAGE = 16;
const PAGE_MAX = 500;
/** Target size of a page, estimated from the objects before it. */
const PAGE_BYTES = 4 * 1024 * 1024;
/** Limit of distinct versions: stored bytes may name arbitrary ones. */
const VERSIONS_MAX = 100;
const OTHER = "";

/** @throws StoreError */
export async function countObjects(context: ResourceContext, options: ReadOptions): Promise<ObjectCounts> {
  const { store, keys, codec, loop, observer, definition } = context;
  const versions = new Map<string, number>();
  let [objects, bytes, revision, limit] = [0, 0, 0, FIRST_PAGE];
  let { start } = keys;
  for (;;) {
    const page = await store.range({ start, end: keys.end, limit, revision }, options);
    observer.storeRead?.(definition.plural, page.items.length);
    // All pages are read at the revision of the first.
    if (revision === 0) revision = page.revision;
    for (const { value } of page.items) {
      if (loop.isOver) await loop.next();
      objects += 1;
      bytes += value.length;
      const version = versionOf(() => codec.decode(value));
      const counted = versions.has(version) || versions.size < VERSIONS_MAX ? version : OTHER;
      versions.set(counted, (versions.get(counted) ?? 0) + 1);
    }
    const last = page.items.at(-1);
    if (!page.more || last === undefined) return { objects, bytes, versions };
    start = `${last.key}\0`;
    limit = Math.max(1, Math.min(PAGE_MAX, Math.floor(PAGE_BYTES / (bytes / objects))));
  }
}

/** Upper bound of the length of the bytes before the metadata. */
const HEAD_BYTES = 2048;

/** Returns `v1` or `group/version`; "" for a value that is not an object. */
function versionOf(decoded: () => Buffer): string {
  try {
    const head = decoded().toString("latin1", 0, HEAD_BYTES);
    const before = head.indexOf('"metadata":{');
    return /"apiVersion":"([^"\\]*)"/.exec(before < 0 ? head : head.slice(0, before))?.[1] ?? OTHER;
  } catch {
    return OTHER;
  }
}
