import {
  containersColumn,
  imagesColumn,
  likePods,
  podStrictFormats,
  templateOfSpec,
  templateWarnings,
} from "@orch/apis-core";
import { ageColumn, type BuiltInResource, column, nameColumn, podFields, queryText, wide } from "@orch/apis-model";
import type { TableColumn } from "@orch/machinery";
import type { appsV1 } from "@orch/schema";
import {
  rollbackErrors,
  validateDeployment,
  validateDeploymentStatus,
  validateDeploymentUpdate,
} from "./deployment-validation";
import { rollbackConversion } from "./workload-conversion";

/** Value that means "no limit" in older versions. */
const UNLIMITED = 2 ** 31 - 1;

type Deployment = appsV1.Deployment;

/** Columns of deployments. Source: pkg/printers/internalversion/printers.go. */
const deploymentColumns: readonly TableColumn[] = [
  nameColumn,
  column<Deployment>("Ready", "Pods that are ready, of all that there should be.", ({ spec, status }) => {
    return `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`;
  }),
  column<Deployment>("Up-to-date", "Pods made from the present template.", ({ status }) => {
    return status?.updatedReplicas ?? 0;
  }),
  column<Deployment>("Available", "Pods that have been ready for long enough.", ({ status }) => {
    return status?.availableReplicas ?? 0;
  }),
  ageColumn,
  wide(containersColumn(templateOfSpec)),
  wide(imagesColumn(templateOfSpec)),
  wide(column<Deployment>("Selector", "Which pods count.", ({ spec }) => queryText(spec?.selector))),
];

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
    declared: true,
    initialStatus: {},
    keepOnUpdate: ["status"],
    gated: podFields("spec.template.spec"),
    generationFrom: ["spec", "metadata.annotations"],
    validate: validateDeployment,
    validateUpdate: validateDeploymentUpdate,
    strictFormats: podStrictFormats("spec.template.spec"),
    warnings: templateWarnings(["spec", "template"]),
  },
  subresources: {
    status: {
      keeps: ["spec", "metadata.labels"],
      gated: { DeploymentReplicaSetTerminatingReplicas: ["status.terminatingReplicas"] },
      validateUpdate: validateDeploymentStatus,
    },
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
