// A row of a table with its ages left open: an object's cells stay what they are for as long as the object does, and only its ages move on.
// Made once, filled in for each table.
import { type JsonObject, writeJson } from "@orch/schema";
import type { TableColumn, TableTime } from "../resources/resource-definition";
import { ageText, humanDuration, timestampMs } from "../values/human-duration";

export interface RowTemplate {
  /** JSON of the row's first members, cut where an age is to stand: `{"cells":["a","` and `","b"]`. */
  readonly texts: readonly string[];
  /** The times that the ages between the texts count from. */
  readonly sinceMs: readonly number[];
  /** A cell has looked at the time in a way of its own: only good for the time at which it was made. */
  readonly madeForNow: boolean;
}

interface RowRules {
  readonly columns: readonly TableColumn[];
  readonly rowConditions?: ((object: JsonObject) => readonly JsonObject[]) | undefined;
}

/** @param object in the storage version; left as it is */
export function rowTemplate({ columns, rowConditions }: RowRules, object: JsonObject, nowMs: number): RowTemplate {
  const watched = new WatchedTime(nowMs);
  const texts: string[] = [];
  const sinceMs: number[] = [];
  // Joined, and not added up: a text that is added up is kept as all of its parts, and is long in being written.
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

/** Whether it stays good for as long as its object. */
export const isReusable = ({ madeForNow }: RowTemplate): boolean => !madeForNow;

/** JSON of the row's cells and conditions, from its `{` on; what comes of the object is to follow, and a `}`. */
export function rowMembers({ texts, sinceMs }: RowTemplate, nowMs: number): string {
  let text = texts[0] ?? "";
  for (let at = 0; at < sinceMs.length; at += 1) {
    text += humanDuration(nowMs - (sinceMs[at] as number));
    text += texts[at + 1];
  }
  return text;
}

/** Notices who looks at it. */
class WatchedTime implements TableTime {
  looked = false;

  constructor(private readonly ms: number) {}

  get nowMs(): number {
    this.looked = true;
    return this.ms;
  }
}
