// Columns of events. Source: pkg/printers/internalversion/printers.go.

import { ageOf, type CellObject, column, identifying, nameColumn, wide } from "@orch/apis-model";
import type { TableColumn } from "@orch/machinery";
import type { coreV1 } from "@orch/schema";

type Event = CellObject<coreV1.Event>;

export const eventColumns: readonly TableColumn[] = [
  ageOf<coreV1.Event>("Last Seen", "How long ago this last happened.", lastTime),
  column<coreV1.Event>("Type", "Whether this is as it should be.", ({ type }) => type ?? ""),
  column<coreV1.Event>("Reason", "What happened, in a word.", ({ reason }) => reason ?? ""),
  column<coreV1.Event>("Object", "What it happened to.", ({ involvedObject }) => {
    const kind = (involvedObject?.kind ?? "").toLowerCase();
    return involvedObject?.name ? `${kind}/${involvedObject.name}` : kind;
  }),
  wide(
    column<coreV1.Event>("Subobject", "The part of the object that it happened to.", ({ involvedObject }) => {
      return involvedObject?.fieldPath ?? "";
    }),
  ),
  wide(column<coreV1.Event>("Source", "Who tells of it, and on which machine.", reporter)),
  column<coreV1.Event>("Message", "What happened, in full.", ({ message }) => (message ?? "").trim()),
  wide(ageOf<coreV1.Event>("First Seen", "How long ago this first happened.", firstTime)),
  wide(
    column<coreV1.Event>("Count", "How often this happened.", ({ series, count }) => {
      return series ? (series.count ?? 0) + 1 : count || 1;
    }),
  ),
  wide(identifying(nameColumn)),
];

function lastTime(event: Event) {
  return event.series ? event.series.lastObservedTime : event.lastTimestamp || firstTime(event);
}

function firstTime({ firstTimestamp, eventTime }: Event) {
  return firstTimestamp || eventTime;
}

function reporter({ source, reportingComponent, reportingInstance }: Event): string {
  const component = source?.component || reportingComponent || "";
  const instance = source?.host || reportingInstance || "";
  return instance === "" ? component : `${component}, ${instance}`;
}
