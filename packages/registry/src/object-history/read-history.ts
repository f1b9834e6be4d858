// Reads the history of one object: the recorded writes with the differences of their states, or one whole state.
// Source: docs/history.md.
import { jsonDifference, type ServedVersion, StatusError } from "@orch/machinery";
import { type JsonArray, type JsonObject, readJson } from "@orch/schema";
import type { ResourceContext } from "../context/resource-context";
import type { HistoryOptions, ObjectRevision, ObjectRevisions } from "../contract/object-history";
import type { ObjectKey, ReadOptions } from "../contract/operations";
import { readFailure } from "../contract/store-failures";
import { objectPath } from "../objects/key-layout";
import type { StoredEntry } from "../objects/stored-entry";
import { storedItem } from "../objects/stored-item";
import { readable, UnreadableObject } from "../objects/unreadable-objects";
import { type KeptRevision, revisionsOfObject } from "./revision-list";
import { type ReadRevisionValue, readRevisionValue } from "./revision-value";

/** States are compared up to this size: parsing and comparing two of them takes a few milliseconds. */
const COMPARED_MAX_BYTES = 256 * 1024;
/** Size of the patches in one answer. */
const PATCHES_MAX_BYTES = 4 * 1024 * 1024;

/** Returns the newest revisions, the newest first. @throws StatusError, as a read of the store does */
export async function revisionsFor(
  context: ResourceContext,
  { namespace, name }: ObjectKey,
  { version, limit, withPatches, ...options }: HistoryOptions,
): Promise<ObjectRevisions> {
  const path = objectPath(namespace, name);
  const now = await present(context, path, options);
  const kept = await revisionsOfObject(context, path, now, options);
  const shown: ObjectRevision[] = [];
  const patches = new Patches(context, version, now.entry);
  const { loop } = context;
  let startMs = loop.nowMs;
  for (const each of kept.slice(0, limit)) {
    const value = await readValue(context, each, options);
    // The bounds have removed it since.
    if (value === undefined) continue;
    const difference = withPatches ? await patches.next(each, value, options) : {};
    shown.push({ ...about(each, value), ...difference });
    if (!loop.isOverSince(startMs)) continue;
    await loop.next();
    startMs = loop.nowMs;
  }
  return { resourceVersion: now.revision, revisions: shown, remaining: Math.max(0, kept.length - limit) };
}

/**
 * Returns the state of an object at a revision: the resource version of a present or former state.
 * @param revision undefined: the state before the last deletion
 * @throws StatusError NotFound (404) when that state is not kept
 */
export async function stateAt(
  context: ResourceContext,
  key: ObjectKey,
  revision: number | undefined,
  options: ReadOptions,
): Promise<StoredEntry> {
  const path = objectPath(key.namespace, key.name);
  const now = await present(context, path, options);
  if (now.entry !== undefined && now.entry.resourceVersion === revision) return now.entry;
  const kept = await revisionsOfObject(context, path, now, options);
  const found = kept.find(({ replaced, change }) =>
    revision === undefined ? change === "deleted" : replaced === revision && replaced !== 0,
  );
  const value = found && (await readValue(context, found, options));
  if (found === undefined || value === undefined) throw noState(context, key.name, revision);
  if (value.isUnreadable) throw noState(context, key.name, revision, UNREADABLE_TEXT);
  const state = stateIn(context, found, value);
  if (state === undefined) throw noState(context, key.name, revision, "it was too large to be kept beside the object");
  return state;
}

function noState({ resource }: ResourceContext, name: string, revision: number | undefined, why?: string): StatusError {
  const named = `${resource.resource}${resource.group === "" ? "" : `.${resource.group}`} ${JSON.stringify(name)}`;
  const text =
    revision === undefined
      ? `no deleted ${named} is kept in the history`
      : `no state of ${named} at the resource version ${revision} is kept in the history`;
  const remedy =
    revision === undefined
      ? "a list with ?history=deleted has those that are"
      : "GET …/history lists the resource versions of those that are";
  const details = { name, group: resource.group, kind: resource.resource };
  return new StatusError("NotFound", `${text}: ${why ?? remedy}`, details);
}

interface Present {
  readonly entry: StoredEntry | undefined;
  /** Revision of the store at the read. */
  readonly revision: number;
}

async function present(context: ResourceContext, path: string, options: ReadOptions): Promise<Present> {
  try {
    const { items, revision } = await context.store.range({ start: context.keys.start + path, limit: 1 }, options);
    const [item] = items;
    const entry = item && readable(() => context.cache.toEntry(storedItem(path, item)));
    return { entry: entry instanceof UnreadableObject ? undefined : entry, revision };
  } catch (error) {
    throw readFailure(context.resource, "get", error);
  }
}

interface KeptValue extends ReadRevisionValue {
  /** Set when the value cannot be decrypted. */
  readonly isUnreadable?: true;
}

const UNREADABLE_TEXT = "the revision cannot be read: its encryption key is unknown, or it is damaged";
const UNREADABLE: KeptValue = {
  write: { verb: "", user: "", userAgent: "", fieldManager: "", subresource: "", uid: "" },
  state: undefined,
  isUnreadable: true,
};

async function readValue(
  { store, resource }: ResourceContext,
  { key }: KeptRevision,
  options: ReadOptions,
): Promise<KeptValue | undefined> {
  try {
    const { items } = await store.range({ start: key, limit: 1 }, options);
    const [item] = items;
    if (item === undefined) return undefined;
    return item.mark?.kind === "unreadable" ? UNREADABLE : readRevisionValue(item.value);
  } catch (error) {
    if (error instanceof SyntaxError) return UNREADABLE;
    throw readFailure(resource, "get", error);
  }
}

/** @throws UnreadableObject (500) */
function stateIn(context: ResourceContext, kept: KeptRevision, { state }: KeptValue): StoredEntry | undefined {
  return state && context.cache.toEntry({ path: kept.path, modRevision: kept.replaced, value: state });
}

function about(kept: KeptRevision, { write, isUnreadable }: KeptValue): ObjectRevision {
  const { revision, replaced, timeMs, change } = kept;
  const { verb, user, userAgent, fieldManager, subresource } = write;
  return {
    resourceVersion: revision,
    replaces: replaced,
    time: new Date(timeMs).toISOString(),
    change,
    ...{ verb, user, userAgent, fieldManager, subresource },
    ...(isUnreadable && { note: UNREADABLE_TEXT }),
  };
}

interface Difference {
  readonly patch?: JsonArray;
  readonly note?: string;
}

/** Computes the patches of successive revisions, the newest first. Each state is parsed once. */
class Patches {
  private bytes = 0;
  /** The state that the next older revision led to, when it is known. */
  private later: { readonly revision: number; readonly object: JsonObject | undefined } | undefined;

  constructor(
    private readonly context: ResourceContext,
    private readonly version: ServedVersion,
    private readonly now: StoredEntry | undefined,
  ) {}

  async next(kept: KeptRevision, value: KeptValue, options: ReadOptions): Promise<Difference> {
    const { later } = this;
    const after =
      later ?? (this.now && { revision: this.now.resourceVersion, object: await this.comparable(this.now, options) });
    const before = await this.before(kept, value, options);
    this.later = { revision: kept.replaced, object: before };
    if (kept.change !== "updated" || value.isUnreadable) return {};
    if (value.write.lacksState) return { note: "the former state was too large to be kept beside the object" };
    if (after?.revision !== kept.revision) return { note: "the state after this revision is not kept" };
    if (before === undefined || after.object === undefined)
      return { note: `a state has more than ${COMPARED_MAX_BYTES} bytes: read both with ?revision=` };
    const patch = jsonDifference(before, after.object);
    this.bytes += JSON.stringify(patch).length;
    if (this.bytes > PATCHES_MAX_BYTES) return { note: "the patches of the answer are too large: use a smaller limit" };
    return { patch };
  }

  private async before(kept: KeptRevision, value: KeptValue, options: ReadOptions): Promise<JsonObject | undefined> {
    if (kept.bytes > COMPARED_MAX_BYTES) return undefined;
    const state = readable(() => stateIn(this.context, kept, value) as StoredEntry);
    return state === undefined || state instanceof UnreadableObject ? undefined : this.comparable(state, options);
  }

  /** Returns the object without what each write changes; undefined for a large one. */
  private async comparable(entry: StoredEntry, { signal }: ReadOptions): Promise<JsonObject | undefined> {
    if (entry.stored().length > COMPARED_MAX_BYTES || entry.isLarge) return undefined;
    await this.context.conversions?.entries.prepare([entry], this.version, signal);
    const object = readJson(entry.json(this.version).toString("utf8")) as JsonObject;
    const { managedFields: _, resourceVersion: __, ...metadata } = object["metadata"] as JsonObject;
    return { ...object, metadata };
  }
}
