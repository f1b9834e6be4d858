// What a resource has in the store, counted there and not in the cache, which shows every object in one version.

import type { Census, ReadOptions } from "../registry";
import type { ResourceContext } from "../resource-context";

const FIRST_PAGE = 16;
const PAGE_MAX = 500;
/** Of a page, as far as the objects before it tell. */
const PAGE_BYTES = 4 * 1024 * 1024;
/** An object may claim any version that somebody has written into the store: no more than these are told apart. */
const VERSIONS_MAX = 100;
const OTHER = "";

/** @throws StoreError */
export async function census(context: ResourceContext, options: ReadOptions): Promise<Census> {
  const { store, keys, codec, loop, observer, definition } = context;
  const versions = new Map<string, number>();
  let [objects, bytes, revision, limit] = [0, 0, 0, FIRST_PAGE];
  let { start } = keys;
  for (;;) {
    const page = await store.range({ start, end: keys.end, limit, revision }, options);
    observer.storeRead?.(definition.plural, page.items.length);
    // All pages are of the first one's revision.
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

/** Longer than any head: what stands in front of the metadata. */
const HEAD_BYTES = 2048;

/** `v1` or `group/version`; "" for what is no object. */
function versionOf(decoded: () => Buffer): string {
  try {
    const head = decoded().toString("latin1", 0, HEAD_BYTES);
    const before = head.indexOf('"metadata":{');
    return /"apiVersion":"([^"\\]*)"/.exec(before < 0 ? head : head.slice(0, before))?.[1] ?? OTHER;
  } catch {
    return OTHER;
  }
}
