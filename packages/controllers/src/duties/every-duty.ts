// The list of all controllers. Source: cmd/kube-controller-manager/app/controllermanager.go.
import type { Duty } from "../manager/duty";
import { accountTokensDuty } from "./account-tokens/duty";
import { bootstrapSigningDuty } from "./bootstrap-signing/duty";
import { certificateApprovalDuty } from "./certificate-approval/duty";
import { certificateCleanupDuty } from "./certificate-cleanup/duty";
import { certificateSigningDuty } from "./certificate-signing/duty";
import { defaultAccountDuty } from "./default-account/duty";
import { disruptionDuty } from "./disruption/duty";
import { finishedJobsDuty } from "./finished-jobs/duty";
import { garbageDuty } from "./garbage/duty";
import { legacyTokensDuty } from "./legacy-tokens/duty";
import { lostPodsDuty } from "./lost-pods/duty";
import { namespaceDuty } from "./namespace/duty";
import { claimProtectionDuty, volumeProtectionDuty } from "./protection/duty";
import { resourceQuotaDuty } from "./resource-quota/duty";
import { roleAggregationDuty } from "./role-aggregation/duty";
import { rootCaDuty } from "./root-ca/duty";
import { endpointsDuty, mirrorsDuty, slicesDuty } from "./service-endpoints/duty";
import { tokenCleaningDuty } from "./token-cleaning/duty";

export const EVERY_DUTY: readonly Duty[] = [
  namespaceDuty,
  garbageDuty,
  resourceQuotaDuty,
  roleAggregationDuty,
  defaultAccountDuty,
  rootCaDuty,
  accountTokensDuty,
  legacyTokensDuty,
  claimProtectionDuty,
  volumeProtectionDuty,
  bootstrapSigningDuty,
  tokenCleaningDuty,
  certificateApprovalDuty,
  certificateSigningDuty,
  certificateCleanupDuty,
  disruptionDuty,
  finishedJobsDuty,
  lostPodsDuty,
  endpointsDuty,
  slicesDuty,
  mirrorsDuty,
];
