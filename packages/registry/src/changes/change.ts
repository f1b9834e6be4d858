// One change of one object: its state before and after. The same change is an addition, a modification or a deletion,
// depending on whether a watcher's selection matches the object before and after it.

import type { StoredEntry } from "../objects/stored-entry";
import { ObjectEvent } from "./watch-event";

/**
 * Whether the object can be read before and after the change. Unreadable objects are part of no state, and watchers get
 * no events for them: the watcher's last state of such an object stands.
 * - same: readable before and after
 * - lost: unreadable from this change on; no event is sent
 * - regained: was unreadable before; `previous` is its last readable state
 */
export type Readability = "same" | "lost" | "regained";

export class Change {
  /**
   * Approximate number of bytes held. Computed once, so that the amount added to a sum equals the amount taken from it.
   */
  readonly weight: number;
  private added: ObjectEvent | undefined;
  private modified: ObjectEvent | undefined;
  private deleted: ObjectEvent | undefined;

  /**
   * @param entry after the change; undefined: deleted
   * @param previous before it; undefined: created
   * @param at when this server received it, milliseconds
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

  /** The entry that the state held before the change. */
  get before(): StoredEntry | undefined {
    return this.readability === "regained" ? undefined : this.previous;
  }

  /**
   * Returns the event that a watcher sees.
   * @param matches the watcher's selection; undefined selects every object
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

  /** Returns the same change with other entries. */
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

  /** Builds the event with the last content that matched, at the revision of the change. */
  private asDeleted(previous: StoredEntry): ObjectEvent {
    this.deleted ??= new ObjectEvent("DELETED", previous.at(this.revision));
    return this.deleted;
  }
}
