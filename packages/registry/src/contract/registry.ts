// The interface of the registry: objects over a store. One watch cache serves every resource. The generic verbs work on
// any ResourceDefinition. Source: Kubernetes API concepts, "Resource versions".

import type {
  AdmissionTrace,
  AllocationAttempt,
  AllocationKey,
  AnnotationLevel,
  ChangedPaths,
  GetSemantics,
  JsonPatchOperation,
  ListOrder,
  Propagation,
  ReadSemantics,
  ResourceDefinition,
  ServedVersion,
  StatusError,
  Subresource,
  UserInfo,
  WatchStart,
  WriteOptions,
} from "@orch/machinery";
import type { EndSignal, TraceSpan } from "@orch/platform";
import type { DecodeProblem, JsonObject, JsonValue } from "@orch/schema";

export type { WatchStart } from "@orch/machinery";

export interface Registry {
  /**
   * Starts serving the objects of a definition, at once and while other resources are served. If another definition of
   * the resource is served, this one replaces it and takes over the cached objects where both read them alike. Watches
   * of the former storage end after the last change that is due to them; clients continue with a new watch. Requests in
   * progress finish on the former storage.
   */
  resource(definition: ResourceDefinition): ResourceStorage;
  /**
   * Stops serving the objects of a definition; they stay in the store. Watches end after the last change that is due to
   * them, with an ERROR event NotFound (404).
   */
  release(definition: ResourceDefinition): void;
  /**
   * Starts a watch of several resources of one store. All initial states are of one revision, and the events after them
   * are in revision order across the resources.
   * @throws StatusError BadRequest (400) for a resource that is not stored, or is in another store than the first one;
   * otherwise like `ResourceStorage.watch`
   */
  watchTogether(parts: readonly WatchedPart[], request: SharedWatch, options?: ReadOptions): Promise<SeveralWatcher>;
  /**
   * Reads the objects of several resources in one namespace at one revision, as new as the store.
   * @param storages at least one. Those of another store than the first one are left out
   * @throws StatusError Timeout (504) and ServerTimeout when the cache does not reach the newest revision in time
   */
  readTogether(storages: readonly ResourceStorage[], namespace: string, options?: ReadOptions): Promise<JointState>;
  /** Resolves once the cache holds the whole key space. */
  ready(): Promise<void>;
  health(): CacheHealth;
  /** Statistics for metrics: one row for each served resource. */
  caches(): readonly CacheStatistics[];
  /**
   * Drops recent changes up to a revision that the store has compacted. Without it they are kept for a while, as far as
   * memory allows.
   */
  forgetBefore(revision: number): void;
  /** Returns the names of the allocations that are held under a prefix, such as `ranges/serviceips`. */
  allocationsHeld(place: string): Iterable<string>;
  close(): Promise<void>;
}

/** Callbacks of the registry for metrics. Every member is optional and must return immediately. */
export interface RegistryObserver {
  /** The cache received one change from the store. @param resource `<group or core>/<plural>` */
  readonly eventReceived?: (resource: string) => void;
  /** The cache received an object that cannot be read. @param resource `<group or core>/<plural>` */
  readonly objectUnreadable?: (resource: string) => void;
  /** The cache was filled again. */
  readonly listed?: (objects: number) => void;
  /** A read went to the store because the cache could not serve it. */
  readonly storeRead?: (resource: string, objects: number) => void;
  /** A watch began with this number of objects. @param resource as errors name it: `pods`, `deployments.apps` */
  readonly watchPrimed?: (resource: string, objects: number) => void;
  /** The ring of recent changes of a resource was enlarged or reduced. @param resource `<group or core>/<plural>` */
  readonly windowResized?: (resource: string, change: "grown" | "shrunk") => void;
  /** A resource in the cache was compared with the store. */
  readonly consistencyChecked?: (definition: ResourceDefinition, status: "success" | "failure" | "error") => void;
  /** A write tried to allocate a value, such as a cluster IP. */
  readonly allocationAttempted?: (attempt: AllocationAttempt) => void;
  /** A list was answered. */
  readonly listServed?: (definition: ResourceDefinition, list: ListFigures) => void;
}

export interface ListFigures {
  readonly from: "cache" | "store";
  /** Number of objects that were read. */
  readonly fetched: number;
  readonly returned: number;
  /** Whether the list had to be as new as the store. */
  readonly isConsistent: boolean;
  /** Time until the cache was current. */
  readonly waitedMs: number;
}

export interface CacheHealth {
  readonly synced: boolean;
  /** Whether the cache's watch is connected now. */
  readonly connected: boolean;
  readonly revision: number;
  readonly lastError: string | undefined;
}

export interface CacheStatistics {
  readonly definition: ResourceDefinition;
  readonly objects: number;
  /** Number of stored values of the resource that cannot be read as objects. */
  readonly unreadable: number;
  /** Number of recent changes that the cache may hold at the moment. */
  readonly capacity: number;
  readonly watchers: number;
}

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

/** The earlier states of the objects of a resource. Source: docs/history.md. */
export interface ObjectHistory {
  /** Whether every object has a history. If not, it depends on the namespace of the object. */
  readonly isListed: boolean;
  revisions(key: ObjectKey, options: HistoryOptions): Promise<ObjectRevisions>;
  /**
   * @param revision resource version of a state; undefined: that before the last deletion
   * @throws StatusError NotFound (404)
   */
  state(key: ObjectKey, revision: number | undefined, options: ReadOptions): Promise<Entry>;
  /** @param namespace "" for all */
  deleted(namespace: string, options: DeletedOptions): Promise<DeletedObjects>;
  /**
   * Returns the body of a write that brings a state back, without the metadata that the server sets.
   * @param entry prepared for the version
   * @param resourceVersion of the object that is replaced; "" for any
   */
  bodyOf(entry: Entry, version: ServedVersion, resourceVersion: string): Buffer;
}

export interface HistoryOptions extends ReadOptions {
  /** Version in which states are compared. */
  readonly version: ServedVersion;
  readonly limit: number;
  /** Whether the client may see the states. */
  readonly withPatches: boolean;
}

export interface ObjectRevisions {
  /** Revision of the store at the read. */
  readonly resourceVersion: number;
  /** The newest first. */
  readonly revisions: readonly ObjectRevision[];
  /** Number of older revisions that the limit left out. */
  readonly remaining: number;
}

/** One recorded write of an object. */
export interface ObjectRevision {
  /** Resource version of the state after the write. */
  readonly resourceVersion: number;
  /** Resource version of the state before the write; 0: the object was created. */
  readonly replaces: number;
  /** RFC 3339, with milliseconds. */
  readonly time: string;
  readonly change: "created" | "updated" | "deleted";
  readonly verb: string;
  readonly user: string;
  readonly userAgent: string;
  readonly fieldManager: string;
  readonly subresource: string;
  /** JSON patch from the state before the write to the one after it, without managedFields. */
  readonly patch?: JsonValue;
  /** The reason why something is absent. */
  readonly note?: string;
}

export interface DeletedOptions extends ReadOptions {
  readonly limit: number;
  /** "" to begin; otherwise the `after` of the last answer. */
  readonly after: string;
}

export interface DeletedObjects {
  /** Revision of the store at the read. */
  readonly resourceVersion: number;
  readonly objects: readonly DeletedObject[];
  /** "" in the last answer. */
  readonly after: string;
}

/** A deleted object that does not exist now. */
export interface DeletedObject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Revision of the deletion. */
  readonly resourceVersion: number;
  /** Resource version of the last state. */
  readonly replaces: number;
  readonly time: string;
  readonly user: string;
  readonly userAgent: string;
  /** Whether the last state is kept. */
  readonly isKept: boolean;
}

export interface OutdatedObjects {
  /** Number of objects examined. */
  readonly looked: number;
  /** Path of the last examined object, `[<namespace>/]<name>`: the start of the next search. */
  readonly after: string;
  readonly found: ObjectKey | undefined;
  /** True when no object follows. */
  readonly isEnd: boolean;
}

/** Numbers of the stored objects of a resource. */
export interface ObjectCounts {
  readonly objects: number;
  /** Size in the store, compressed or not. */
  readonly bytes: number;
  /** Number of objects by stored version, `v1` or `group/version`; "" for values that are not objects. */
  readonly versions: ReadonlyMap<string, number>;
}

export interface ObjectKey {
  /** "" for cluster-scoped resources (and, in lists and watches, for all namespaces). */
  readonly namespace: string;
  /** "" on create with generateName. */
  readonly name: string;
}

export interface ReadOptions {
  readonly signal?: EndSignal;
}

/** The parsed labelSelector and fieldSelector of a request. */
export interface Selection {
  /** Undefined selects every object. */
  readonly labels?: (labels: Readonly<Record<string, string>>) => boolean;
  /** Field label and wanted value pairs; all must hold. `metadata.name` among them narrows the read to one key. */
  readonly fields?: readonly { readonly field: string; readonly operator: "=" | "!="; readonly value: string }[];
  /**
   * Undefined selects every object. In lists, the predicate is called for the objects of one state. Watches: see
   * scoped-watch.ts.
   */
  readonly name?: (name: string) => boolean;
  /** Part of the objects, by a member of their metadata that never changes. Undefined selects every object. */
  readonly shard?: { readonly field: string; matches(value: string): boolean };
}

export interface ListRequest {
  readonly namespace: string;
  readonly read: ReadSemantics;
  readonly selection: Selection;
  /** 0: no limit. */
  readonly limit: number;
  /** The client's token, unparsed. */
  readonly continueToken?: string;
  /** Count the objects after the chunk, whatever is selected; 0 when none follows. Answered from the cache only. */
  readonly count?: true;
  /** Order by a field. Answered from the cache only. Absent: the order of the keys. */
  readonly order?: ListOrder & { readonly version: ServedVersion };
}

export interface ListResult {
  readonly resourceVersion: number;
  readonly entries: readonly Entry[];
  /** "" on the last chunk. */
  readonly continueToken: string;
  /** Undefined when it is unknown, and when nothing follows and no count was requested. */
  readonly remainingItemCount: number | undefined;
}

/** One stored object at one revision. Immutable; shared by all readers. */
export interface Entry {
  /** `[<namespace>/]<name>` */
  readonly path: string;
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: number;
  /** The whole JSON object in a version, built once. Callers must not change it. */
  json(version: ServedVersion): Buffer;
  /**
   * The JSON object in a version without the leading `"kind":…,"apiVersion":…,`: begins with `{`, in the form of list
   * items.
   */
  item(version: ServedVersion): Buffer;
  /**
   * Parsed storage-version object with resourceVersion in its metadata. Returns a new copy, which the caller may
   * change.
   */
  object(): JsonObject;
  /**
   * Parsed object in the hub form that validation rules see, with resourceVersion in its metadata. Returns a new copy,
   * which the caller may change.
   */
  inHub(): JsonObject;
  /**
   * Parsed storage-version object, a new copy. Meant for objects that configure the server itself, such as roles and
   * disruption budgets.
   * @throws StatusError RequestEntityTooLarge (413) for an object that would take long to parse
   */
  whole(): JsonObject;
  /** The field managers and the versions that they used, without parsing the owned fields. */
  owners(): readonly { readonly manager: string; readonly apiVersion: string }[];
  /** The JSON of `metadata` alone, `{…}`: a part of the shared bytes. Callers must not change it. */
  metadataJson(): Buffer;
  /**
   * Returns a value derived from this object. It is computed once and kept as long as the entry. Costs nothing before
   * the first call.
   * @param key identifies one maker and one form, compared by identity; must outlive single requests
   * @param make pure; callers share its result and must not change it
   */
  made<T>(key: object, make: (entry: Entry) => T): T;
  /** Returns the derived value when `made` has computed it. */
  known<T>(key: object): T | undefined;
  /** Whether parsing or processing the whole object takes long; see value-count.ts of the schema package. */
  readonly isLarge: boolean;
  /** The bytes as this server stores them. Callers must not change them. */
  stored(): Buffer;
  /** Returns a member of the metadata without parsing the rest. */
  metadata(member: string): unknown;
  readonly labels: Readonly<Record<string, string>>;
  field(label: string): string;
}

export interface WatchRequest {
  readonly namespace: string;
  readonly selection: Selection;
  readonly start: WatchStart;
  /**
   * Send synthetic ADDED events first; with an exact start, from a state not older than it. With `bookmarks`, an
   * annotated bookmark follows as their end.
   */
  readonly sendInitialEvents: boolean;
  /** Send no synthetic events, whatever the start. */
  readonly changesOnly?: boolean;
  readonly bookmarks: boolean;
  readonly timeoutMs: number;
  readonly version: ServedVersion;
}

export type WatchEventType = WatchEvent["type"];

interface EventBase {
  readonly resourceVersion: number;
  /**
   * `{"type":…,"object":…}\n`, built once per type and version while the event is recent, and shared by all watchers.
   */
  frame(version: ServedVersion): Buffer;
  /**
   * The event's frame in another form: built once, shared by all watchers, and kept while the event is recent. See
   * Entry.made.
   */
  madeFrame(key: object, make: () => Buffer): Buffer;
}

export type WatchEvent =
  | (EventBase & { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly entry: Entry })
  /** @param annotations of the bookmark object, which otherwise holds only a resource version */
  | (EventBase & { readonly type: "BOOKMARK"; readonly annotations: Readonly<Record<string, string>> })
  | (EventBase & { readonly type: "ERROR"; readonly status: object });

/**
 * One client's position in the stream of events. Pull-based: it holds a cursor into the resource's recent events
 * instead of a queue, so a client that does not read costs nothing. A watcher that falls out of the window is ended.
 */
export interface Watcher {
  /**
   * Returns the next events for the client in revision order. Empty when the client has seen everything, or when many
   * unselected events precede the next one; the readable callback then tells when to continue.
   * @param bytesMax stop once the taken events reach this size together; the last event may exceed it
   */
  take(max: number, bytesMax?: number): readonly WatchEvent[];
  /** Set once no further event will come and `take` has returned everything. */
  readonly ended: "timeout" | "tooSlow" | "error" | "closed" | undefined;
  /**
   * Sets the callback for the moment when `take` or `ended` may have something new. Called at most once between two
   * calls of `take`.
   */
  onReadable(callback: () => void): void;
  /** Ends the watch with an ERROR event because an event that was taken cannot be shown. */
  fail(error: StatusError): void;
  close(): void;
}

/** Objects of several resources at one revision. It holds their memory as long as it is referenced. */
export interface JointState {
  readonly resourceVersion: number;
  /** One state for each resource, in their order; undefined for a resource of another store. */
  readonly states: readonly (ObjectsAtRevision | undefined)[];
}

export interface ObjectsAtRevision {
  readonly size: number;
  at(index: number): Entry | undefined;
}

/** One resource of a watch of several. */
export interface WatchedPart extends Pick<WatchRequest, "namespace" | "selection" | "version"> {
  readonly storage: ResourceStorage;
}

/** The options that all parts of a watch of several resources share. */
export type SharedWatch = Omit<WatchRequest, "namespace" | "selection" | "version">;

export interface PartEvent {
  /** Index of the resource; undefined for bookmarks, and for an error that does not belong to one resource. */
  readonly part: number | undefined;
  readonly event: WatchEvent;
  /**
   * The revision up to which the client has every event after this one: a new watch can start there. Undefined while
   * other events of the same revision, or of the initial state, follow.
   */
  readonly reached: number | undefined;
}

/** The position of a client in the events of several resources. The members are those of `Watcher`. */
export interface SeveralWatcher extends Pick<Watcher, "ended" | "onReadable" | "fail" | "close"> {
  take(max: number, bytesMax?: number): readonly PartEvent[];
}

export interface WriteContext {
  readonly version: ServedVersion;
  readonly user: UserInfo;
  /** Field manager of the written fields. Default: `unknown`. */
  readonly manager?: string | undefined;
  /** Verb of the request, for the history of the object. Absent: that of the registry. */
  readonly verb?: string | undefined;
  /** `User-Agent` of the client, for the history of the object. */
  readonly userAgent?: string | undefined;
  readonly dryRun: boolean;
  /** The options that the client sent, for admission; absent when it sent none. */
  readonly options?: ClientOptions | undefined;
  /** Name in the request's path where it differs from the object's name: "" for each object of a deletecollection. */
  readonly pathName?: string | undefined;
  readonly signal?: EndSignal | undefined;
  warn(text: string): void;
  /** Adds an annotation to the audit event; absent when there is none. */
  readonly annotate?: ((key: string, value: string, level: AnnotationLevel) => void) | undefined;
  /** Receives all admission decisions; absent when nothing records them. */
  readonly trace?: AdmissionTrace | undefined;
  /** Span of the request; absent when it is not traced. */
  readonly span?: TraceSpan | undefined;
  /**
   * Called with the changed paths of each attempt of the write; they count only when that attempt succeeds. Absent when
   * nothing needs them.
   */
  readonly changed?: ((paths: ChangedPaths) => void) | undefined;
  /** Set when admission has already seen the whole request of which this write is a part. */
  readonly admitted?: true | undefined;
  /** Called before a request other than create makes a new object. Throws when the user may not create objects. */
  readonly beforeCreate?: (() => void | Promise<void>) | undefined;
}

export type ClientOptions = Pick<WriteOptions, "fieldManager" | "fieldValidation">;

/** A change that names only the differences. */
export type Patch =
  /** RFC 6902. */
  | { readonly kind: "json"; readonly operations: readonly JsonPatchOperation[] }
  /** RFC 7386. */
  | { readonly kind: "merge"; readonly body: JsonValue }
  | { readonly kind: "strategicMerge"; readonly body: JsonValue }
  /**
   * Server-side apply: the fields that a manager wants. Creates the object when it does not exist. @param force take
   * fields from other managers
   */
  | { readonly kind: "apply"; readonly body: JsonObject; readonly force: boolean };

export interface PatchContext extends WriteContext {
  readonly subresource?: NamedSubresource | undefined;
  /**
   * Called with the problems found when the patched object was decoded, in each attempt. May throw to reject the patch.
   * @param patched the result of the patch
   */
  noticed(problems: readonly DecodeProblem[], patched: JsonObject): void;
}

/**
 * @param subresource what is created, such as `eviction`; "" when its path is not below the object's
 * @param definition of the created kind; absent: that of the target objects
 */
export type ActionContext = WriteContext & {
  readonly subresource: { readonly name: string };
  readonly definition?: ResourceDefinition;
};

export interface NamedSubresource {
  readonly name: string;
  readonly rules: Subresource;
}

export interface WriteResult {
  readonly entry: Entry;
  readonly created: boolean;
}

/** Options of a deletion. The kind of the object decides absent members. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagation?: Propagation;
  /** Deletion of objects that cannot be read: together with readable ones (the default), them alone, or never. */
  readonly unreadable?: "deleted" | "only" | "refused";
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export interface DeleteResult {
  /**
   * The last state, at the revision of the deletion; or the object with its deletionTimestamp, when finalizers or a
   * grace period keep it.
   */
  readonly entry: Entry;
  readonly removed: boolean;
}

/** Stored values that cannot be read. */
export interface UnreadableSummary {
  readonly count: number;
  /** The first paths: `[<namespace>/]<name>`. */
  readonly paths: readonly string[];
}

/** Result of one repair pass over the allocations. */
export interface AllocationRepairs {
  /** Allocations that no object held for several passes. They are now free. */
  readonly released: readonly AllocationKey[];
  /** Allocations that an object holds and that were not recorded before. */
  readonly recorded: HeldAllocations;
  /** Allocations that several objects hold. The repair cannot decide between them. */
  readonly shared: HeldAllocations;
  /** Allocations that are held but no longer offered. */
  readonly withdrawn: HeldAllocations;
}

/** Paths of the holders by allocation. */
export type HeldAllocations = ReadonlyMap<AllocationKey, readonly string[]>;
