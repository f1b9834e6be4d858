// One change of one object: what it was and what it became. The same change is an addition, a modification or a deletion, depending on
// whether a watcher's selection takes the object before and after it.

import type { StoredEntry } from "../objects/stored-entry";
import { ObjectEvent } from "../watch/watch-event";

/**
 * Objects that cannot be read are in no state, and those who watch hear nothing of them: what they know of such an object stays as it was.
 * - same: it could be read before and after
 * - lost: it cannot be read from here on, which nobody is told
 * - regained: it could not be read before; `previous` is what it was when it could
 */
export type Readability = "same" | "lost" | "regained";

export class Change {
  /** Bytes held, roughly: weighed once, so that what is added to a sum is what is taken from it. */
  readonly weight: number;
  private added: ObjectEvent | undefined;
  private modified: ObjectEvent | undefined;
  private deleted: ObjectEvent | undefined;

  /**
   * @param entry after the change; undefined: deleted
   * @param previous before it; undefined: created
   * @param at when this server heard of it, milliseconds
   */
  constructor(
    readonly revision: number,
    readonly entry: StoredEntry | undefined,
    readonly previous: StoredEntry | undefined,
    readonly at: number,
    readonly readability: Readability = "same",
  ) {
    this.weight = (entry?.weight ?? 0) + (previous?.weight ?? 0);
  }

  /** `[<namespace>/]<name>` of the object. */
  get path(): string {
    return (this.entry ?? this.previous)?.path ?? "";
  }

  /** What the state held before the change. */
  get before(): StoredEntry | undefined {
    return this.readability === "regained" ? undefined : this.previous;
  }

  /**
   * What a watcher sees of it.
   * @param matches the watcher's selection; undefined takes every object
   * @returns undefined when the object is outside the selection before and after
   */
  seenBy(matches: ((entry: StoredEntry) => boolean) | undefined): ObjectEvent | undefined {
    const { entry, previous, readability } = this;
    if (readability === "lost") return undefined;
    const after = entry !== undefined && (matches === undefined || matches(entry));
    const before = previous !== undefined && (matches === undefined || matches(previous));
    if (after) return before ? this.asModified(entry) : this.asAdded(entry);
    return before ? this.asDeleted(previous) : undefined;
  }

  /** The same of other entries. */
  with(entryFor: (entry: StoredEntry) => StoredEntry): Change {
    const { entry, previous } = this;
    return new Change(
      this.revision,
      entry && entryFor(entry),
      previous && entryFor(previous),
      this.at,
      this.readability,
    );
  }

  releaseFrames(): void {
    this.added?.releaseFrame();
    this.modified?.releaseFrame();
    this.deleted?.releaseFrame();
  }

  private asAdded(entry: StoredEntry): ObjectEvent {
    this.added ??= new ObjectEvent("ADDED", entry);
    return this.added;
  }

  private asModified(entry: StoredEntry): ObjectEvent {
    this.modified ??= new ObjectEvent("MODIFIED", entry);
    return this.modified;
  }

  /** The last content that matched, at the revision of the change. */
  private asDeleted(previous: StoredEntry): ObjectEvent {
    this.deleted ??= new ObjectEvent("DELETED", previous.at(this.revision));
    return this.deleted;
  }
}
