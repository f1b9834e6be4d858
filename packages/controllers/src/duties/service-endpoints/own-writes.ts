// What this process has written and its view does not show yet. A look at an old view would do the same once more: two slices for one.
import type { Informer } from "@orch/client";
import { metaOf } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";

/** A version that the view must reach; or the object is gone. */
type Mark = number | "gone";

export class OwnWrites<T extends object> {
  /** By what is looked at, then by uid. */
  private readonly marks = new Map<string, Map<string, Mark>>();

  constructor(private readonly view: Pick<Informer<T>, "resourceVersion">) {}

  written(key: string, object: T): void {
    const { uid = "", resourceVersion } = metaOf(object as JsonObject);
    this.note(key, uid, Number(resourceVersion));
  }

  removed(key: string, object: T): void {
    this.note(key, metaOf(object as JsonObject).uid ?? "", "gone");
  }

  /** Whether an object is as this process has left it last. */
  isOwn(key: string, object: T): boolean {
    const { uid = "", resourceVersion } = metaOf(object as JsonObject);
    return this.marks.get(key)?.get(uid) === Number(resourceVersion);
  }

  /** Whether this process has removed it. */
  isOwnRemoval(key: string, object: T): boolean {
    return this.marks.get(key)?.get(metaOf(object as JsonObject).uid ?? "") === "gone";
  }

  /** @param shown what the view has of it */
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
        // Somebody has removed it since, or it is yet to come.
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
