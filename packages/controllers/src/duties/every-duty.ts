// The duties: the only place that names them all. Source: facts, flags.json "controllerNames".
import type { Duty } from "../manager/duty";
import { accountTokensDuty } from "./account-tokens/duty";
import { defaultAccountDuty } from "./default-account/duty";
import { garbageDuty } from "./garbage/duty";
import { namespaceDuty } from "./namespace/duty";
import { claimProtectionDuty, volumeProtectionDuty } from "./protection/duty";
import { resourceQuotaDuty } from "./resource-quota/duty";
import { roleAggregationDuty } from "./role-aggregation/duty";
import { rootCaDuty } from "./root-ca/duty";

export const EVERY_DUTY: readonly Duty[] = [
  namespaceDuty,
  garbageDuty,
  resourceQuotaDuty,
  roleAggregationDuty,
  defaultAccountDuty,
  rootCaDuty,
  accountTokensDuty,
  claimProtectionDuty,
  volumeProtectionDuty,
];
