// The list of all controllers. Source: cmd/kube-controller-manager/app/controllermanager.go.
import type { Controller } from "../framework/controller";
import { accountTokensController } from "./account-tokens/controller";
import { bootstrapSigningController } from "./bootstrap-signing/controller";
import { certificateApprovalController } from "./certificate-approval/controller";
import { certificateCleanupController } from "./certificate-cleanup/controller";
import { certificateSigningController } from "./certificate-signing/controller";
import { defaultAccountController } from "./default-account/controller";
import { deviceTaintsController } from "./device-taints/controller";
import { disruptionController } from "./disruption/controller";
import { finishedJobsController } from "./finished-jobs/controller";
import { garbageController } from "./garbage/controller";
import { legacyTokensController } from "./legacy-tokens/controller";
import { namespaceController } from "./namespace/controller";
import { objectExpiryController } from "./object-expiry/controller";
import { podCertificateCleanupController } from "./pod-certificate-cleanup/controller";
import { podGarbageController } from "./pod-garbage/controller";
import {
  claimProtectionController,
  classProtectionController,
  podGroupProtectionController,
  volumeProtectionController,
} from "./protection/controller";
import { resourceClaimsController } from "./resource-claims/controller";
import { resourcePoolStatusController } from "./resource-pool-status/controller";
import { resourceQuotaController } from "./resource-quota/controller";
import { roleAggregationController } from "./role-aggregation/controller";
import { rootCaController } from "./root-ca/controller";
import { serviceCidrsController } from "./service-cidrs/controller";
import { endpointsController, mirrorsController, slicesController } from "./service-endpoints/controller";
import { servingTrustBundleController } from "./serving-trust-bundle/controller";
import { storageVersionsController } from "./storage-versions/controller";
import { tokenCleaningController } from "./token-cleaning/controller";

export const EVERY_CONTROLLER: readonly Controller[] = [
  namespaceController,
  garbageController,
  resourceQuotaController,
  roleAggregationController,
  defaultAccountController,
  rootCaController,
  servingTrustBundleController,
  accountTokensController,
  legacyTokensController,
  claimProtectionController,
  volumeProtectionController,
  classProtectionController,
  podGroupProtectionController,
  bootstrapSigningController,
  tokenCleaningController,
  certificateApprovalController,
  certificateSigningController,
  certificateCleanupController,
  podCertificateCleanupController,
  disruptionController,
  finishedJobsController,
  objectExpiryController,
  podGarbageController,
  endpointsController,
  slicesController,
  mirrorsController,
  serviceCidrsController,
  storageVersionsController,
  resourceClaimsController,
  deviceTaintsController,
  resourcePoolStatusController,
];
