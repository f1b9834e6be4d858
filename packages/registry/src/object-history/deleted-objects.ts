// Lists the deleted objects of a resource whose last state is in the history. Source: docs/history.md.
import { MOST_RECENT } from "@orch/machinery";
import type { ResourceContext } from "../context/resource-context";
import type { DeletedObject, DeletedObjects, DeletedOptions } from "../contract/object-history";
import { readFailure } from "../contract/store-failures";
import type { KeySpace } from "../objects/key-layout";
import { awaitFreshness } from "../read/freshness";
import { type KeptRevision, keptRevisions, namespaceStart, revisionSpace } from "./revision-list";
import { readRevisionValue } from "./revision-value";

/** Number of keys examined for one answer; a shorter answer with a continue token is a complete one. */
const KEYS_MAX = 50_000;

/** @param namespace "" for all @throws StatusError, as a read of the store does */
export async function deletedObjects(
  context: ResourceContext,
  namespace: string,
  { limit, after, ...options }: DeletedOptions,
): Promise<DeletedObjects> {
  // Objects that exist are left out by the cache.
  await awaitFreshness(context, "list", MOST_RECENT, options.signal);
  const { revision } = await context.store
    .range({ start: context.keys.start, limit: 1, keysOnly: true }, options)
    .catch((error: unknown) => {
      throw readFailure(context.resource, "list", error);
    });
  const all = spaceOf(context, namespace);
  // "0" is the first character after the slash that ends a path.
  const space = after === "" ? all : { ...all, start: `${revisionSpace(context).start}${after}0` };
  const found: DeletedObject[] = [];
  const sinces = new Map<string, (revision: KeptRevision) => boolean>();
  let path = after;
  let last: KeptRevision | undefined;
  let looked = 0;
  const close = async () => {
    const deleted = last?.change === "deleted" ? last : undefined;
    last = undefined;
    // An object that was created again while no history was kept exists all the same.
    if (deleted === undefined || context.cache.peek(deleted.path) !== undefined) return;
    const of = deleted.path.slice(0, Math.max(0, deleted.path.indexOf("/")));
    const since = sinces.get(of) ?? (await namespaceStart(context, deleted.path, options));
    sinces.set(of, since);
    if (since(deleted)) found.push(...(await described(context, deleted, options)));
  };
  for await (const page of keptRevisions(context, space, { revision }, options)) {
    for (const each of page) {
      if (last !== undefined && each.path !== last.path) {
        path = last.path;
        await close();
        if (found.length >= limit || looked >= KEYS_MAX)
          return { resourceVersion: revision, objects: found, after: path };
      }
      looked += 1;
      if (last === undefined || each.revision > last.revision) last = each;
    }
    if (context.loop.isOver) await context.loop.next();
  }
  await close();
  return { resourceVersion: revision, objects: found, after: "" };
}

function spaceOf(context: ResourceContext, namespace: string): KeySpace {
  const { start, end } = revisionSpace(context);
  return namespace === "" ? { start, end } : { start: `${start}${namespace}/`, end: `${start}${namespace}0` };
}

async function described(
  { store, resource }: ResourceContext,
  { key, path, revision, replaced, timeMs }: KeptRevision,
  options: Pick<DeletedOptions, "signal">,
): Promise<DeletedObject[]> {
  try {
    const { items } = await store.range({ start: key, limit: 1 }, options);
    const [item] = items;
    if (item === undefined || item.mark?.kind === "unreadable") return [];
    const { write } = readRevisionValue(item.value);
    const slash = path.indexOf("/");
    return [
      {
        namespace: path.slice(0, Math.max(0, slash)),
        name: path.slice(slash + 1),
        uid: write.uid,
        resourceVersion: revision,
        replaces: replaced,
        time: new Date(timeMs).toISOString(),
        user: write.user,
        userAgent: write.userAgent,
        isKept: write.lacksState !== true,
      },
    ];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw readFailure(resource, "list", error);
  }
}
