// The objects that expire, and which of them are due. Times are compared with the wall clock at each look: a timer for
// each object would be late after the clock was set.
import type { Identity } from "../../framework/objects/identity";

export interface ExpiringObject {
  readonly identity: Identity;
  /** Milliseconds since 1970. */
  readonly expiryMs: number;
}

export class ExpiringObjects {
  private readonly objects = new Map<string, ExpiringObject>();
  /** No object is due before this time. */
  private earliestMs = Number.POSITIVE_INFINITY;

  get size(): number {
    return this.objects.size;
  }

  get(uid: string): ExpiringObject | undefined {
    return this.objects.get(uid);
  }

  set(object: ExpiringObject): void {
    this.objects.set(object.identity.uid, object);
    this.earliestMs = Math.min(this.earliestMs, object.expiryMs);
  }

  delete(uid: string): void {
    this.objects.delete(uid);
  }

  /** Returns the UIDs of the objects that have expired. They stay until they are deleted. */
  due(nowMs: number): readonly string[] {
    if (nowMs < this.earliestMs) return [];
    const due: string[] = [];
    let nextMs = Number.POSITIVE_INFINITY;
    for (const [uid, { expiryMs }] of this.objects) {
      if (expiryMs <= nowMs) due.push(uid);
      else nextMs = Math.min(nextMs, expiryMs);
    }
    this.earliestMs = nextMs;
    return due;
  }
}
