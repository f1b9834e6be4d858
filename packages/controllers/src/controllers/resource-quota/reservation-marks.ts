// Minimum resource version that a cache must reach before a quota is recalculated from it. The server writes an object
// and its quota charge in one transaction: when the usage of a quota has grown, the object that was charged has the
// same resource version. A cache that has not reached it would omit that object from the usage.

import type { JsonObject } from "@orch/schema";
import { type Usage, usageOfStatus } from "./quota-usage";

/** Maximum wait for the object. Usage that another client has written has no object. */
const WAIT_MS = 2_000;

interface Mark {
  readonly version: number;
  readonly sinceMs: number;
}

export class ReservationMarks {
  private readonly marks = new Map<string, Map<string, Mark>>();

  constructor(private readonly elapsedMs: () => number) {}

  /** @param before undefined: no earlier version is known */
  seen(key: string, before: JsonObject | undefined, after: JsonObject, version: number): void {
    const old: Usage = before === undefined ? new Map() : usageOfStatus(before);
    for (const [name, quantity] of usageOfStatus(after)) {
      if (quantity.nanos <= (old.get(name)?.nanos ?? 0n)) continue;
      let marks = this.marks.get(key);
      if (marks === undefined) {
        marks = new Map();
        this.marks.set(key, marks);
      }
      marks.set(name, { version, sinceMs: this.elapsedMs() });
    }
  }

  /** Removes marks of the controller's own writes, which are not charges. */
  own(key: string, version: number): void {
    const marks = this.marks.get(key);
    for (const [name, mark] of marks ?? []) if (mark.version === version) marks?.delete(name);
  }

  /** Returns whether a cache at this resource version contains everything that was charged under the name. */
  isCovered(key: string, name: string, upTo: number): boolean {
    const mark = this.marks.get(key)?.get(name);
    return mark === undefined || !(upTo < mark.version) || this.elapsedMs() - mark.sinceMs > WAIT_MS;
  }

  forget(key: string): void {
    this.marks.delete(key);
  }
}
