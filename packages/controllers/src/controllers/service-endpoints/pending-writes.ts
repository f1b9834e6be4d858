// Writes of this process that its cache does not contain yet. A reconciliation with a stale cache would repeat them and
// create two slices instead of one.
import type { Informer } from "@orch/client";
import { metaOf } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";

/** Resource version that the cache must reach; "gone" for a deleted object. */
type Mark = number | "gone";

export class PendingWrites<T extends object> {
  /** Marks by reconciled key, then by UID. */
  private readonly marks = new Map<string, Map<string, Mark>>();

  constructor(private readonly view: Pick<Informer<T>, "resourceVersion">) {}

  written(key: string, object: T): void {
    const { uid = "", resourceVersion } = metaOf(object as JsonObject);
    this.note(key, uid, Number(resourceVersion));
  }

  removed(key: string, object: T): void {
    this.note(key, metaOf(object as JsonObject).uid ?? "", "gone");
  }

  /** Returns whether an object is in the state of this process's last write. */
  isOwn(key: string, object: T): boolean {
    const { uid = "", resourceVersion } = metaOf(object as JsonObject);
    return this.marks.get(key)?.get(uid) === Number(resourceVersion);
  }

  /** Returns whether this process has deleted the object. */
  isOwnRemoval(key: string, object: T): boolean {
    return this.marks.get(key)?.get(metaOf(object as JsonObject).uid ?? "") === "gone";
  }

  /**
   * Returns whether the writes are ahead of the cache.
   * @param shown the cached objects of the key
   */
  isAhead(key: string, shown: readonly T[]): boolean {
    const marks = this.marks.get(key);
    if (marks === undefined) return false;
    const byUid = new Map(shown.map((each) => [metaOf(each as JsonObject).uid ?? "", each]));
    for (const [uid, mark] of marks) {
      const found = byUid.get(uid);
      if (mark === "gone") {
        if (found !== undefined) return true;
        marks.delete(uid);
      } else if (found === undefined) {
        // The object was deleted since, or the cache does not contain it yet.
        if (Number(this.view.resourceVersion) < mark) return true;
        marks.delete(uid);
      } else if (Number(metaOf(found as JsonObject).resourceVersion) < mark) return true;
    }
    return false;
  }

  forget(key: string): void {
    this.marks.delete(key);
  }

  private note(key: string, uid: string, mark: Mark): void {
    const marks = this.marks.get(key) ?? new Map<string, Mark>();
    this.marks.set(key, marks);
    marks.set(uid, mark);
  }
}
