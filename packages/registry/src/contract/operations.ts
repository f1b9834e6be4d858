// Requests to the registry and their results, as the storage of each resource takes them. Source: Kubernetes API concepts,
// "Resource versions".
import type {
  AdmissionTrace,
  AllocationKey,
  AnnotationLevel,
  ChangedPaths,
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
