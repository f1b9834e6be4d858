// One change of one object: what it was and what it became. The same change is an addition, a modification or a deletion, depending on
// whether a watcher's selection takes the object before and after it.

import type { StoredEntry } from "./stored-entry";
import { ObjectEvent } from "./watch-event";

export class Change {
  #added: ObjectEvent | undefined;
  #modified: ObjectEvent | undefined;
  #deleted: ObjectEvent | undefined;

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
  ) {}

  /** `[<namespace>/]<name>` of the object. */
  get path(): string {
    return (this.entry ?? this.previous)?.path ?? "";
  }

  /** Bytes held, roughly. */
  get weight(): number {
    return (this.entry?.weight ?? 0) + (this.previous?.weight ?? 0);
  }

  /**
   * What a watcher sees of it.
   * @param matches the watcher's selection; undefined takes every object
   * @returns undefined when the object is outside the selection before and after
   */
  seenBy(matches: ((entry: StoredEntry) => boolean) | undefined): ObjectEvent | undefined {
    const { entry, previous } = this;
    const after = entry !== undefined && (matches === undefined || matches(entry));
    const before = previous !== undefined && (matches === undefined || matches(previous));
    if (after) return before ? this.#asModified(entry) : this.#asAdded(entry);
    return before ? this.#asDeleted(previous) : undefined;
  }

  releaseFrames(): void {
    this.#added?.releaseFrame();
    this.#modified?.releaseFrame();
    this.#deleted?.releaseFrame();
  }

  #asAdded(entry: StoredEntry): ObjectEvent {
    this.#added ??= new ObjectEvent("ADDED", entry);
    return this.#added;
  }

  #asModified(entry: StoredEntry): ObjectEvent {
    this.#modified ??= new ObjectEvent("MODIFIED", entry);
    return this.#modified;
  }

  /** The last content that matched, at the revision of the change. */
  #asDeleted(previous: StoredEntry): ObjectEvent {
    this.#deleted ??= new ObjectEvent("DELETED", previous.at(this.revision));
    return this.#deleted;
  }
}
