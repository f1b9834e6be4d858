// The former states of objects, and the objects that were deleted. Source: docs/history.md.
import type { ServedVersion } from "@orch/machinery";
import type { JsonValue } from "@orch/schema";
import type { Entry, ObjectKey, ReadOptions } from "./operations";

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
