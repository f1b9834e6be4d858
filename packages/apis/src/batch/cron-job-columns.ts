// Columns of cron jobs. Source: pkg/printers/internalversion/printers.go.

import { containersColumn, imagesColumn } from "@orch/apis-core";
import {
  ageColumn,
  booleanColumn,
  type CellObject,
  column,
  integerColumn,
  nameColumn,
  selectorText,
  wide,
} from "@orch/apis-model";
import { ageText, type TableColumn } from "@orch/machinery";
import type { batchV1 } from "@orch/schema";

type CronJob = batchV1.CronJob;

const templateOf = ({ spec }: CellObject<CronJob>) => spec?.jobTemplate?.spec?.template;

export const cronJobColumns: readonly TableColumn[] = [
  nameColumn,
  column<CronJob>("Schedule", "When jobs are started, as a line of a cron table.", ({ spec }) => spec?.schedule ?? ""),
  booleanColumn<CronJob>("Suspend", "Whether no further jobs are started.", ({ spec }) => {
    return spec?.suspend == null ? "<unset>" : spec.suspend ? "True" : "False";
  }),
  integerColumn<CronJob>("Active", "How many jobs are running.", ({ status }) => status?.active?.length ?? 0),
  column<CronJob>("Last Schedule", "How long ago a job was last due.", ({ status }, { nowMs }) => {
    return status?.lastScheduleTime ? ageText(status.lastScheduleTime, nowMs) : "<none>";
  }),
  ageColumn,
  wide(containersColumn<CronJob>(templateOf)),
  wide(imagesColumn<CronJob>(templateOf)),
  wide(
    column<CronJob>("Selector", "Which pods count for a job.", ({ spec }) => {
      return selectorText(spec?.jobTemplate?.spec?.selector);
    }),
  ),
];
