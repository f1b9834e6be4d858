// Rows of tables of events. Source: kubectl/pkg/cmd/events/event_printer.go.
import { ageText, timestampMs } from "@orch/machinery";
import { isObject, type JsonObject } from "@orch/schema";
import { visible } from "../../output/columns";
import { metadataOf } from "../../output/server-table";

interface Columns {
  readonly allNamespaces?: boolean;
}

export const eventHeaders = ({ allNamespaces }: Columns): string[] => [
  ...(allNamespaces ? ["NAMESPACE"] : []),
  "LAST SEEN",
  "TYPE",
  "REASON",
  "OBJECT",
  "MESSAGE",
];

export function eventCells(event: JsonObject, { allNamespaces }: Columns, nowMs: number): string[] {
  const { type, reason, message } = event;
  const { kind, name } = isObject(event["involvedObject"]) ? event["involvedObject"] : {};
  return [
    ...(allNamespaces ? [String(metadataOf(event)["namespace"] ?? "")] : []),
    intervalText(event, nowMs),
    String(type ?? ""),
    String(reason ?? ""),
    `${String(kind ?? "")}/${String(name ?? "")}`,
    String(message ?? "").trim(),
  ].map(visible);
}

/** Returns the time of the last occurrence, in milliseconds. */
export function timeOf(event: JsonObject): number {
  const series = isObject(event["series"]) ? event["series"] : {};
  const times = [series["lastObservedTime"], event["lastTimestamp"], event["eventTime"], event["firstTimestamp"]];
  const found = [...times, metadataOf(event)["creationTimestamp"]].find(
    (time) => typeof time === "string" && time !== "",
  );
  return found === undefined ? 0 : timestampMs(found as string) || 0;
}

/** Returns the age of the last occurrence: `5m`, `5m (x3 over 10m)`. */
function intervalText(event: JsonObject, nowMs: number): string {
  const series = isObject(event["series"]) ? event["series"] : undefined;
  const first = ageText((event["firstTimestamp"] ?? event["eventTime"]) as string | undefined, nowMs);
  if (series !== undefined) {
    return `${ageText(series["lastObservedTime"] as string, nowMs)} (x${String(series["count"])} over ${first})`;
  }
  if (Number(event["count"] ?? 0) > 1) {
    return `${ageText(event["lastTimestamp"] as string, nowMs)} (x${String(event["count"])} over ${first})`;
  }
  return first;
}
