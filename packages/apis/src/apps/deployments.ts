import { likePods } from "../core/workload-defaults";
import type { BuiltInResource } from "../model/built-in-resource";
import { podFields } from "../model/features/gated-fields";
import { deploymentColumns } from "./deployment-columns";
import {
  rollbackErrors,
  validateDeployment,
  validateDeploymentStatus,
  validateDeploymentUpdate,
} from "./deployment-validation";
import { rollbackConversion } from "./workload-conversion";

/** Value that means "no limit" in older versions. */
const UNLIMITED = 2 ** 31 - 1;

export const deployments = {
  group: "apps",
  kind: "Deployment",
  plural: "deployments",
  shortNames: ["deploy"],
  categories: ["all"],
  scope: "Namespaced",
  versions: [
    { version: "v1", introduced: "1.9" },
    {
      version: "v1beta2",
      introduced: "1.8",
      deprecated: "1.9",
      removed: "1.16",
      replacement: "apps/v1",
      orphansDependents: true,
    },
    {
      version: "v1beta1",
      defaults: {
        first: likePods,
        fields: { "spec.replicas": 1, "spec.progressDeadlineSeconds": 600, "spec.revisionHistoryLimit": 2 },
      },
      introduced: "1.6",
      deprecated: "1.8",
      removed: "1.16",
      replacement: "apps/v1",
      conversion: rollbackConversion,
      orphansDependents: true,
    },
    {
      group: "extensions",
      version: "v1beta1",
      defaults: {
        first: likePods,
        fields: {
          "spec.replicas": 1,
          "spec.progressDeadlineSeconds": UNLIMITED,
          "spec.revisionHistoryLimit": UNLIMITED,
        },
      },
      introduced: "1.1",
      deprecated: "1.8",
      removed: "1.16",
      replacement: "apps/v1",
      conversion: rollbackConversion,
      orphansDependents: true,
    },
  ],
  defaults: {
    fields: { "spec.replicas": 1, "spec.progressDeadlineSeconds": 600, "spec.revisionHistoryLimit": 10 },
  },
  rules: {
    nameFormat: "subdomain",
    initialStatus: {},
    keepOnUpdate: ["status"],
    gated: podFields("spec.template.spec"),
    generationFrom: ["spec", "metadata.annotations"],
    validate: validateDeployment,
    validateUpdate: validateDeploymentUpdate,
  },
  subresources: {
    status: { keeps: ["spec", "metadata.labels"], validateUpdate: validateDeploymentStatus },
    scale: { scales: "labelSelector" },
  },
  actions: {
    rollback: {
      bodies: [
        { group: "extensions", version: "v1beta1", kind: "DeploymentRollback", sentTo: "extensions/v1beta1" },
        { group: "apps", version: "v1beta1", kind: "DeploymentRollback", sentTo: "apps/v1beta1" },
      ],
      validate: rollbackErrors,
    },
  },
  columns: deploymentColumns,
} as const satisfies BuiltInResource;
