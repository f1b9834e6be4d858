// Columns of cron jobs. Source: pkg/printers/internalversion/printers.go.
import { ageText, type TableColumn } from "@orch/machinery";
import type { batchV1 } from "@orch/schema";
import { containersColumn, imagesColumn } from "../core/pods/pod-template-columns";
import {
  ageColumn,
  booleanColumn,
  type CellObject,
  column,
  integerColumn,
  nameColumn,
  wide,
} from "../model/columns/column";
import { selectorText } from "../model/columns/column-texts";

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
