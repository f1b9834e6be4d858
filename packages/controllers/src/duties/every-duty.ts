// The duties: the only place that names them all. Source: facts, flags.json "controllerNames".
import type { Duty } from "../manager/duty";
import { garbageDuty } from "./garbage/duty";
import { namespaceDuty } from "./namespace/duty";
import { claimProtectionDuty, volumeProtectionDuty } from "./protection/duty";
import { roleAggregationDuty } from "./role-aggregation/duty";

export const EVERY_DUTY: readonly Duty[] = [
  namespaceDuty,
  garbageDuty,
  roleAggregationDuty,
  claimProtectionDuty,
  volumeProtectionDuty,
];
