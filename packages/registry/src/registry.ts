// The face of the registry: objects over a store. One watch cache serves every resource; the generic verbs work on any
// ResourceDefinition. Source: architecture, "Watch cache" and "Writes"; resource-api, "Resource version semantics".

import type {
  AdmissionTrace,
  AnnotationLevel,
  ChangedPaths,
  Claim,
  GetSemantics,
  JsonPatchOperation,
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
import type { EndSignal } from "@orch/platform";
import type { DecodeProblem, JsonObject, JsonValue } from "@orch/schema";

export type { ReadSemantics, WatchStart } from "@orch/machinery";

export interface Registry {
  /**
   * Starts serving a definition's objects, at once and while everything else is served. Where another definition of the resource is served,
   * this one takes its place, and takes over what is known of the objects where they read alike: watches end after the last change that
   * they have to show, and who watches goes on from there by another watch. What is under way on the former storage is finished on it.
   */
  resource(definition: ResourceDefinition): ResourceStorage;
  /**
   * Stops serving a definition's objects, which stay where they are. Watches of them end after the last change that they have to show, with an
   * ERROR event NotFound (404).
   */
  release(definition: ResourceDefinition): void;
  /** Resolves once the cache holds the whole key space. */
  ready(): Promise<void>;
  health(): CacheHealth;
  /** For those who count: one row for each resource that is served. */
  caches(): readonly CacheStatistics[];
  close(): Promise<void>;
}

export interface CacheHealth {
  readonly synced: boolean;
  /** The cache's watch is connected now. */
  readonly connected: boolean;
  readonly revision: number;
  readonly lastError: string | undefined;
}

export interface CacheStatistics {
  readonly definition: ResourceDefinition;
  readonly objects: number;
  /** Stored where an object should be, and not to be read as one. */
  readonly unreadable: number;
  /** Recent changes that the cache may hold at the moment. */
  readonly capacity: number;
  readonly watchers: number;
}

export interface ResourceStorage {
  readonly definition: ResourceDefinition;
  /** Nothing is stored: see computed-storage.ts. */
  readonly computed?: true;
  get(key: ObjectKey, read: GetSemantics, options?: ReadOptions): Promise<Entry>;
  list(request: ListRequest, options?: ReadOptions): Promise<ListResult>;
  watch(request: WatchRequest, options?: ReadOptions): Promise<Watcher>;
  /**
   * To be awaited before entries are asked for their JSON, or are otherwise looked at, in a version. Absent, as for all built-in kinds, where
   * nothing has to be waited for. Each entry is converted once for each version.
   * @returns undefined when all is there. Rejects with a StatusError where it cannot be had
   */
  readonly prepare?: (
    entries: readonly Entry[],
    version: ServedVersion,
    options?: ReadOptions,
  ) => Promise<void> | undefined;
  /** The cached object as it is now, without waiting; for admission and authorization. */
  peek(key: ObjectKey): Entry | undefined;
  /** Whether the cached object takes so long to work on that it would hold up others; false where there is none. */
  isLarge(key: ObjectKey): boolean;
  /**
   * An entry of what another registry over the same store holds.
   * @param path `[<namespace>/]<name>`
   * @param stored see `Entry.stored`
   */
  entryOf(path: string, resourceVersion: number, stored: Buffer): Entry;
  /**
   * What is stored and is missing in lists and watches because it cannot be read.
   * @param namespace "" for all
   * @param named how many of them are named; a few unless told otherwise
   */
  unreadable(namespace: string, named?: number): UnreadableSummary;
  create(object: JsonObject, at: ObjectKey, write: WriteContext): Promise<WriteResult>;
  /**
   * Stores an object that the server makes of itself, one of a fixed set, unless there is one of its name. In a new cluster as seed.ts says;
   * where there were objects of the resource when this process began, as anybody's.
   * @param object canonical, with its name and namespace, in the write's version. Not of a kind whose objects claim something
   * @returns the object that was there already; undefined when it was created
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
   * Resolves once all that was stored before is in the cache, as far as that can be had in time. Absent where nothing is.
   * @param options `revision`: what was stored up to that revision is enough, and the store is not asked for its own
   * @throws as `get`
   */
  caughtUp?(options?: ReadOptions & { readonly revision?: number | undefined }): Promise<void>;
  /** How many objects the cache holds of a namespace, "" for all. Absent where nothing is stored. */
  size?(namespace: string): number;
  /** How many watchers may have to be told of a change of the object; those that ask for the value of a field are left out. Absent where nothing is stored. */
  watchersOf?(key: ObjectKey): number;
  /** Counts what is stored, in the store. Absent where nothing is. @throws StoreError */
  census?(options?: ReadOptions): Promise<Census>;
  /**
   * Looks for an object that lies in the store otherwise than this server would store it; see outdated.ts. Absent where nothing is stored.
   * @param after "" to begin; else where the last search has come to
   */
  outdated?(after: string, options?: ReadOptions): Promise<OutdatedSearch>;
  /** Stores an object as it is, where it lies in the store otherwise; see rewrite.ts. Absent where nothing is stored. @returns whether it was written */
  rewrite?(at: ObjectKey, options?: ReadOptions): Promise<boolean>;
  /** Looks through what the objects claim for themselves alone, and what is recorded of it. @throws StoreError */
  repairClaims(): Promise<ClaimRepairs>;
}

export interface OutdatedSearch {
  /** How many objects were looked at. */
  readonly looked: number;
  /** The path of the last of them, `[<namespace>/]<name>`: where to go on. */
  readonly after: string;
  readonly found: ObjectKey | undefined;
  /** There is no object behind it. */
  readonly isEnd: boolean;
}

/** What is stored of a resource. */
export interface Census {
  readonly objects: number;
  /** As they lie in the store, compressed or not. */
  readonly bytes: number;
  /** How many objects are stored in each version, `v1` or `group/version`; "" for what is no object. */
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

/** What a client asks with labelSelector and fieldSelector, parsed. */
export interface Selection {
  /** Undefined selects every object. */
  readonly labels?: (labels: Readonly<Record<string, string>>) => boolean;
  /** Field label and wanted value pairs; all must hold. `metadata.name` among them narrows the read to one key. */
  readonly fields?: readonly { readonly field: string; readonly operator: "=" | "!="; readonly value: string }[];
  /** Undefined selects every object; for lists, of which one may ask this of a state. Watches: see scoped-watch.ts. */
  readonly name?: (name: string) => boolean;
}

export interface ListRequest {
  readonly namespace: string;
  readonly read: ReadSemantics;
  readonly selection: Selection;
  /** 0: no limit. */
  readonly limit: number;
  /** The client's token, unparsed. */
  readonly continueToken?: string;
}

export interface ListResult {
  readonly resourceVersion: number;
  readonly entries: readonly Entry[];
  /** "" on the last chunk. */
  readonly continueToken: string;
  readonly remainingItemCount: number | undefined;
}

/** One stored object at one revision. Immutable; shared by all readers. */
export interface Entry {
  /** `[<namespace>/]<name>` */
  readonly path: string;
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: number;
  /** The whole JSON object in a version, made once. Never changed by anyone. */
  json(version: ServedVersion): Buffer;
  /** The JSON object in a version without the leading `"kind":…,"apiVersion":…,`: begins with `{`, as list items are written. */
  item(version: ServedVersion): Buffer;
  /** Parsed storage-version object with resourceVersion in its metadata; a fresh copy, the caller's to change. */
  object(): JsonObject;
  /** Parsed, in the shape in which rules see objects, with resourceVersion in its metadata; a fresh copy, the caller's to change. */
  inHub(): JsonObject;
  /**
   * Parsed storage-version object, a fresh copy, of those that the server itself goes by, such as roles and budgets.
   * @throws StatusError RequestEntityTooLarge (413) for one that would take long to parse
   */
  whole(): JsonObject;
  /** Who owns fields of it, and in which version, without parsing the fields. */
  owners(): readonly { readonly manager: string; readonly apiVersion: string }[];
  /** The JSON of `metadata` alone, `{…}`: a part of the shared bytes. Never changed by anyone. */
  metadataJson(): Buffer;
  /**
   * What somebody makes of this object: made once, and kept as long as the entry. Costs nothing before the first call.
   * @param key of one maker and one form, compared by identity; it must outlive its requests
   * @param make pure; its result is shared and never changed
   */
  made<T>(key: object, make: (entry: Entry) => T): T;
  /** What has been made of it already. */
  known<T>(key: object): T | undefined;
  /** Whether it takes long to parse, and to make something of all of it; see value-count.ts of the schema. */
  readonly isLarge: boolean;
  /** The bytes as this server stores them. Never changed by anyone. */
  stored(): Buffer;
  /** A member of the metadata, without parsing the rest. */
  metadata(member: string): unknown;
  readonly labels: Readonly<Record<string, string>>;
  field(label: string): string;
}

export interface WatchRequest {
  readonly namespace: string;
  readonly selection: Selection;
  readonly start: WatchStart;
  /** Synthetic ADDED events; from an exact start: of a state not older. With `bookmarks`, one annotated as their end follows. */
  readonly sendInitialEvents: boolean;
  /** No synthetic events, whatever the start. */
  readonly changesOnly?: boolean;
  readonly bookmarks: boolean;
  readonly timeoutMs: number;
  readonly version: ServedVersion;
}

export type WatchEventType = WatchEvent["type"];

interface EventBase {
  readonly resourceVersion: number;
  /** `{"type":…,"object":…}\n`, made once per type and version while the event is recent, and shared by every watcher. */
  frame(version: ServedVersion): Buffer;
  /** The event's frame in another form: made once, shared by every watcher, and kept while the event is recent. See Entry.made. */
  madeFrame(key: object, make: () => Buffer): Buffer;
}

export type WatchEvent =
  | (EventBase & { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly entry: Entry })
  /** @param annotations of its object, which has else but a resource version */
  | (EventBase & { readonly type: "BOOKMARK"; readonly annotations: Readonly<Record<string, string>> })
  | (EventBase & { readonly type: "ERROR"; readonly status: object });

/**
 * One client's place in the stream of events. Pulled: it holds a cursor into the resource's recent events, not a queue, so that a
 * client that does not read costs nothing; one that falls out of the window is ended.
 */
export interface Watcher {
  /**
   * The next events for the client, in revision order; empty when it has seen all that there is, or when so much that it does not want
   * lies before the next that the readable callback will say when to go on.
   * @param bytesMax no further event once those taken are of this size together; the last may go beyond it
   */
  take(max: number, bytesMax?: number): readonly WatchEvent[];
  /** Set once no further event will come and `take` has given everything. */
  readonly ended: "timeout" | "tooSlow" | "error" | "closed" | undefined;
  /** Called when `take` or `ended` may have something new; at most once between two calls of `take`. */
  onReadable(callback: () => void): void;
  /** Ends it with an ERROR event: what it has taken cannot be shown. */
  fail(error: StatusError): void;
  close(): void;
}

export interface WriteContext {
  readonly version: ServedVersion;
  readonly user: UserInfo;
  /** Whom the written fields belong to; `unknown` where absent. */
  readonly manager?: string | undefined;
  readonly dryRun: boolean;
  /** As the client says them, for admission; absent: it says nothing. */
  readonly options?: ClientOptions | undefined;
  /** In the request's path, where that is not the object's: "" for each object of a collection that is deleted. */
  readonly pathName?: string | undefined;
  readonly signal?: EndSignal | undefined;
  warn(text: string): void;
  /** For the audit event; absent: there is none. */
  readonly annotate?: ((key: string, value: string, level: AnnotationLevel) => void) | undefined;
  /** Told all that admission decides; absent: nobody wants to know. */
  readonly trace?: AdmissionTrace | undefined;
  /** Told what each try of the write changes, if it holds; absent: nobody wants to know. */
  readonly changed?: ((paths: ChangedPaths) => void) | undefined;
  /** Admission has seen, as a whole, the request that this write is a part of. */
  readonly admitted?: true | undefined;
  /** Called before an object is made by a request that is no create; throws where its user may not create objects. */
  readonly beforeCreate?: (() => void | Promise<void>) | undefined;
}

export type ClientOptions = Pick<WriteOptions, "fieldManager" | "fieldValidation">;

/** A change that says only what is to be different. */
export type Patch =
  /** RFC 6902. */
  | { readonly kind: "json"; readonly operations: readonly JsonPatchOperation[] }
  /** RFC 7386. */
  | { readonly kind: "merge"; readonly body: JsonValue }
  | { readonly kind: "strategicMerge"; readonly body: JsonValue }
  /** The fields that a manager wants; makes the object where there is none. @param force take fields from other managers */
  | { readonly kind: "apply"; readonly body: JsonObject; readonly force: boolean };

export interface PatchContext extends WriteContext {
  readonly subresource?: NamedSubresource | undefined;
  /** Told what the patched object holds beyond its type, each time that the patch is tried; may throw to refuse it. */
  noticed(problems: readonly DecodeProblem[]): void;
}

/**
 * @param subresource what is created, such as `eviction`; "" where its path is not under the object's
 * @param definition of what is created there. Absent: of the objects to which it is done
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

/** Where a member is absent, the object's kind decides. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagation?: Propagation;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export interface DeleteResult {
  /** The last state, at the revision of the deletion; or the marked object, which stays for now. */
  readonly entry: Entry;
  readonly removed: boolean;
}

/** What is stored and cannot be read. */
export interface UnreadableSummary {
  readonly count: number;
  /** The first of them: `[<namespace>/]<name>`. */
  readonly paths: readonly string[];
}

/** What a pass over the claims did. */
export interface ClaimRepairs {
  /** Held by no object for several passes, and now free. */
  readonly released: readonly Claim[];
  /** Held by an object, and not recorded until now. */
  readonly recorded: HeldClaims;
  /** Held by several objects: nobody can say who is right. */
  readonly shared: HeldClaims;
  /** Held, and not offered any more. */
  readonly withdrawn: HeldClaims;
}

/** Paths of the holders by claim. */
export type HeldClaims = ReadonlyMap<Claim, readonly string[]>;
