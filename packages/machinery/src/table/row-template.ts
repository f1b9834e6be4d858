// A table row without its ages: the other cells change only with the object. Rendered once per object, and completed
// for each table.
import { type JsonObject, writeJson } from "@orch/schema";
import type { TableColumn, TableTime } from "../resources/resource-definition";
import { ageText, humanDuration, timestampMs } from "../values/human-duration";

export interface RowTemplate {
  /** JSON of the row's first members, split at the ages: `{"cells":["a","` and `","b"]`. */
  readonly texts: readonly string[];
  /** Start times of the ages between the texts. */
  readonly sinceMs: readonly number[];
  /** A cell has read the time itself: the row is valid only for the time at which it was rendered. */
  readonly madeForNow: boolean;
}

interface RowRules {
  readonly columns: readonly TableColumn[];
  readonly rowConditions?: ((object: JsonObject) => readonly JsonObject[]) | undefined;
}

/**
 * Renders the row of an object.
 * @param object in the storage version; not modified
 */
export function rowTemplate({ columns, rowConditions }: RowRules, object: JsonObject, nowMs: number): RowTemplate {
  const watched = new WatchedTime(nowMs);
  const texts: string[] = [];
  const sinceMs: number[] = [];
  // Collects the parts and joins them once: repeated concatenation would keep a rope of all parts, which is slow to
  // serialize.
  let parts = ['{"cells":['];
  for (let at = 0; at < columns.length; at += 1) {
    const { since, cell } = columns[at] as TableColumn;
    if (at > 0) parts.push(",");
    if (since === undefined) {
      parts.push(writeJson(cell(object, watched) ?? null));
      continue;
    }
    const time = since(object);
    if (typeof time !== "string" || time === "") {
      parts.push(JSON.stringify(ageText(undefined, nowMs)));
      continue;
    }
    parts.push('"');
    texts.push(parts.join(""));
    sinceMs.push(timestampMs(time));
    parts = ['"'];
  }
  const conditions = rowConditions?.(object) ?? [];
  parts.push(conditions.length === 0 ? "]" : `],"conditions":${writeJson(conditions as JsonObject[])}`);
  texts.push(parts.join(""));
  return { texts, sinceMs, madeForNow: watched.looked };
}

/** Reports whether the row stays valid as long as its object. */
export const isReusable = ({ madeForNow }: RowTemplate): boolean => !madeForNow;

/** Returns JSON of the row's cells and conditions, starting with `{`; the caller appends the object and `}`. */
export function rowMembers({ texts, sinceMs }: RowTemplate, nowMs: number): string {
  let text = texts[0] ?? "";
  for (let at = 0; at < sinceMs.length; at += 1) {
    text += humanDuration(nowMs - (sinceMs[at] as number));
    text += texts[at + 1];
  }
  return text;
}

/** Records whether the time is read. */
class WatchedTime implements TableTime {
  looked = false;

  constructor(private readonly ms: number) {}

  get nowMs(): number {
    this.looked = true;
    return this.ms;
  }
}
