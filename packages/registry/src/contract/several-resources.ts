// Reads and watches of several resources of one store. Source: docs/lists.md.
import type { Entry, WatchEvent, Watcher, WatchRequest } from "./operations";
import type { ResourceStorage } from "./resource-storage";

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
