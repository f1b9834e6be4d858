// The interface between watches and the pages that show them.
import type { Resource } from "../discovery/resource";
import type { Failure } from "../requests/failure";

export type ChangeType = "ADDED" | "MODIFIED" | "DELETED";

export interface WatchTarget {
  readonly resource: Resource;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Representation of the objects, as a value of `Accept`. */
  readonly accept?: string;
  /** Version of the list that the changes follow. */
  readonly resourceVersion: string;
}

export interface ChangeListener {
  /** @param object in the representation of the target */
  change(type: ChangeType, object: unknown): void;
  /** The changes since the version are no longer there: the objects must be listed again. The watch has ended. */
  lost(): void;
  /** Called when the connection is lost, with the failure, and when it is there again, without one. */
  connection(failure: Failure | undefined): void;
}
