// Waiting requests by flow: level, schema and user.
import type { TextRow } from "./text-table";

export interface Waiting {
  readonly level: string;
  readonly schema: string;
  readonly user: string;
  readonly requests: number;
}

/** Counts the rows of the page of waiting requests. The flow with the most requests comes first. */
export function waitingFlows(rows: readonly TextRow[]): readonly Waiting[] {
  const counts = new Map<string, Waiting>();
  for (const row of rows) {
    const [level = "", schema = ""] = [row["PriorityLevelName"], row["FlowSchemaName"]];
    const user = row["UserName"] || row["FlowDistingsher"] || "";
    const key = JSON.stringify([level, schema, user]);
    counts.set(key, { level, schema, user, requests: (counts.get(key)?.requests ?? 0) + 1 });
  }
  return [...counts.values()].sort((one, other) => other.requests - one.requests);
}
