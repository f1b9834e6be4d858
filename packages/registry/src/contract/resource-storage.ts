// The interface to the objects of one resource. The generic verbs work on any ResourceDefinition.
import type { GetSemantics, ResourceDefinition, ServedVersion } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { ObjectHistory } from "./object-history";
import type {
  ActionContext,
  AllocationRepairs,
  DeleteOptions,
  DeleteResult,
  Entry,
  ListRequest,
  ListResult,
  NamedSubresource,
  ObjectCounts,
  ObjectKey,
  OutdatedObjects,
  Patch,
  PatchContext,
  ReadOptions,
  UnreadableSummary,
  Watcher,
  WatchRequest,
  WriteContext,
  WriteResult,
} from "./operations";

export interface ResourceStorage {
  readonly definition: ResourceDefinition;
  /** Set where nothing is stored; see computed-storage.ts. */
  readonly computed?: true;
  get(key: ObjectKey, read: GetSemantics, options?: ReadOptions): Promise<Entry>;
  list(request: ListRequest, options?: ReadOptions): Promise<ListResult>;
  watch(request: WatchRequest, options?: ReadOptions): Promise<Watcher>;
  /**
   * Prepares entries to be shown in a version. Callers await it before they ask the entries for their JSON. Absent for
   * all built-in kinds, which need no preparation. Each entry is converted once for each version.
   * @returns undefined when everything is prepared. Rejects with a StatusError when the conversion fails
   */
  readonly prepare?: (
    entries: readonly Entry[],
    version: ServedVersion,
    options?: ReadOptions,
  ) => Promise<void> | undefined;
  /** Returns the cached object as it is now, without waiting. Used by admission and authorization. */
  peek(key: ObjectKey): Entry | undefined;
  /** Whether work on the cached object takes so long that it would delay others; false when there is no such object. */
  isLarge(key: ObjectKey): boolean;
  /**
   * Returns an entry for bytes that another registry over the same store holds.
   * @param path `[<namespace>/]<name>`
   * @param stored see `Entry.stored`
   */
  entryOf(path: string, resourceVersion: number, stored: Buffer): Entry;
  /**
   * Returns the stored values that lists and watches omit because they cannot be read.
   * @param namespace "" for all
   * @param named maximum number of paths in the result; a few by default
   */
  unreadable(namespace: string, named?: number): UnreadableSummary;
  /** Number of changes for which the watch cache has room. Absent when the resource has no cache. */
  readonly historySize?: () => number;
  create(object: JsonObject, at: ObjectKey, write: WriteContext): Promise<WriteResult>;
  /**
   * Stores one of the fixed set of objects that the server itself creates, unless an object of that name exists. Uses
   * the path of seed.ts when the resource was empty at the start of this process; otherwise an ordinary create.
   * @param object canonical, with its name and namespace, in the write's version. Not of a kind whose objects hold
   * allocations
   * @returns the object that existed already; undefined when the object was created
   */
  seed(object: JsonObject, write: WriteContext): Promise<Entry | undefined>;
  update(
    object: JsonObject,
    at: ObjectKey,
    write: WriteContext & { readonly subresource?: NamedSubresource | undefined },
  ): Promise<WriteResult>;
  patch(patch: Patch, at: ObjectKey, write: PatchContext): Promise<WriteResult>;
  delete(at: ObjectKey, options: DeleteOptions, write: WriteContext): Promise<DeleteResult>;
  /** See change-in-place.ts. */
  changeInPlace(
    change: (object: JsonObject) => JsonObject,
    at: ObjectKey,
    write: WriteContext & { readonly subresource?: NamedSubresource | undefined },
  ): Promise<WriteResult>;
  /** See admit-action.ts. */
  admitAction<Result>(
    body: JsonObject,
    at: ObjectKey,
    write: ActionContext,
    act: (body: JsonObject) => Promise<Result>,
  ): Promise<Result>;
  /**
   * Resolves once the cache holds everything that was stored before the call, if that is possible in time. Absent where
   * nothing is stored.
   * @param options `revision`: wait only up to that revision, without asking the store for its current one
   * @throws like `get`
   */
  caughtUp?(options?: ReadOptions & { readonly revision?: number | undefined }): Promise<void>;
  /** Number of cached objects in a namespace, "" for all. Absent where nothing is stored. */
  size?(namespace: string): number;
  /**
   * Maximum number of watchers that a change of the object may concern, without those that select by a field value.
   * Absent where nothing is stored.
   */
  watchersOf?(key: ObjectKey): number;
  /** Counts the stored objects, in the store. Absent where nothing is stored. @throws StoreError */
  countObjects?(options?: ReadOptions): Promise<ObjectCounts>;
  /**
   * Searches for an object whose stored form differs from the one that this server would write; see outdated.ts. Absent
   * where nothing is stored.
   * @param after "" to begin; otherwise the `after` of the last search
   */
  outdated?(after: string, options?: ReadOptions): Promise<OutdatedObjects>;
  /**
   * Writes an object unchanged when its stored form is outdated; see rewrite.ts. Absent where nothing is stored.
   * @returns whether it was written
   */
  rewrite?(at: ObjectKey, options?: ReadOptions): Promise<boolean>;
  /**
   * Writes the kept states of objects again that are encrypted with a former key; see rewrite-history.ts. Absent where
   * nothing is stored.
   */
  rewriteHistory?(turn: () => Promise<void>, options?: ReadOptions): Promise<number>;
  /** Absent when no object of the resource has a history. */
  readonly history?: ObjectHistory | undefined;
  /**
   * Compares the exclusive allocations of the objects with their records, and repairs the records. @throws StoreError
   */
  repairAllocations(): Promise<AllocationRepairs>;
}
