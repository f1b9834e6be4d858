// Columns of jobs. Source: pkg/printers/internalversion/printers.go.

import { containersColumn, imagesColumn, templateOfSpec } from "@orch/apis-core";
import { ageColumn, type CellObject, column, nameColumn, selectorText, wide } from "@orch/apis-model";
import { humanDuration, type TableColumn, type TableTime, timestampMs } from "@orch/machinery";
import type { batchV1 } from "@orch/schema";

type Job = CellObject<batchV1.Job>;

export const jobColumns: readonly TableColumn[] = [
  nameColumn,
  column<batchV1.Job>("Completions", "Pods that have ended well, of all that must.", completions),
  column<batchV1.Job>("Duration", "How long the job took, or has taken so far.", duration),
  ageColumn,
  wide(containersColumn(templateOfSpec)),
  wide(imagesColumn(templateOfSpec)),
  wide(column<batchV1.Job>("Selector", "Which pods count.", ({ spec }) => selectorText(spec?.selector))),
];

/** Formats the completions. A job without `completions` is complete after the first success. */
function completions({ spec, status }: Job): string {
  const succeeded = status?.succeeded ?? 0;
  if (spec?.completions != null) return `${succeeded}/${spec.completions}`;
  const parallelism = spec?.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function duration({ status }: Job, { nowMs }: TableTime): string {
  if (!status?.startTime) return "";
  const endMs = status.completionTime ? timestampMs(status.completionTime) : nowMs;
  return humanDuration(endMs - timestampMs(status.startTime));
}
