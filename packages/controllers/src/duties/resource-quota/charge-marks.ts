// Up to where a view of objects must have come before a quota is recalculated from it. The server writes an object and what it is charged in
// one transaction: whenever the usage of a quota has grown, the object that it grew by has the same resource version. A view that has not come
// so far yet would lose that object from the usage.

import type { JsonObject } from "@orch/schema";
import { type Usage, usageOfStatus } from "./quota-usage";

/** Usage that others than a server have written has no object: nobody waits for it longer. */
const WAIT_MS = 2_000;

interface Mark {
  readonly version: number;
  readonly sinceMs: number;
}

export class ChargeMarks {
  private readonly marks = new Map<string, Map<string, Mark>>();

  constructor(private readonly elapsedMs: () => number) {}

  /** @param before undefined: it was not known */
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

  /** What has been written here was no charge. */
  own(key: string, version: number): void {
    const marks = this.marks.get(key);
    for (const [name, mark] of marks ?? []) if (mark.version === version) marks?.delete(name);
  }

  /** Whether a view that has come so far shows all that was charged under the name. */
  isCovered(key: string, name: string, upTo: number): boolean {
    const mark = this.marks.get(key)?.get(name);
    return mark === undefined || !(upTo < mark.version) || this.elapsedMs() - mark.sinceMs > WAIT_MS;
  }

  forget(key: string): void {
    this.marks.delete(key);
  }
}
