import {
  containersColumn,
  imagesColumn,
  likePods,
  podStrictFormats,
  templateOfSpec,
  templateWarnings,
} from "@orch/apis-core";
import { ageColumn, type BuiltInResource, column, nameColumn, objectAt, podFields, wide } from "@orch/apis-model";
import type { TableColumn } from "@orch/machinery";
import { type appsV1, isObject, type JsonObject } from "@orch/schema";
import { nameClaimTemplates, unnamedClaimTemplates } from "./claim-templates";
import {
  validateNewStatefulSet,
  validateStatefulSet,
  validateStatefulSetStatus,
  validateStatefulSetUpdate,
} from "./stateful-set-validation";

const FIELDS = {
  "spec.podManagementPolicy": "OrderedReady",
  "spec.replicas": 1,
  "spec.revisionHistoryLimit": 10,
} as const;

/** Columns of stateful sets. Source: pkg/printers/internalversion/printers.go. */
const statefulSetColumns: readonly TableColumn[] = [
  nameColumn,
  column<appsV1.StatefulSet>("Ready", "Pods that are ready, of all that there should be.", ({ spec, status }) => {
    return `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`;
  }),
  ageColumn,
  wide(containersColumn(templateOfSpec)),
  wide(imagesColumn(templateOfSpec)),
];

export const statefulSets = {
  group: "apps",
  kind: "StatefulSet",
  plural: "statefulsets",
  shortNames: ["sts"],
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
      defaults: { first: likePods, fields: FIELDS, then: nameClaimTemplates },
      introduced: "1.5",
      deprecated: "1.8",
      removed: "1.16",
      replacement: "apps/v1",
      orphansDependents: true,
    },
  ],
  defaults: {
    fields: FIELDS,
    then: nameClaimTemplates,
    gated: [
      { gate: "MaxUnavailableStatefulSet", then: updateOneByOne },
      {
        gate: "StatefulSetAutoDeletePVC",
        then: retainClaims,
        fills: [{ name: "persistentVolumeClaimRetentionPolicy" }],
      },
    ],
  },
  completion: unnamedClaimTemplates,
  rules: {
    nameFormat: "subdomain",
    declared: true,
    initialStatus: {},
    keepOnUpdate: ["status"],
    gated: {
      ...podFields("spec.template.spec"),
      MaxUnavailableStatefulSet: ["spec.updateStrategy.rollingUpdate.maxUnavailable"],
      StatefulSetAutoDeletePVC: ["spec.persistentVolumeClaimRetentionPolicy"],
      StatefulSetMinReadySeconds: ["spec.minReadySeconds"],
      StatefulSetStartOrdinal: ["spec.ordinals"],
    },
    generationFrom: ["spec"],
    validate: validateStatefulSet,
    validateCreate: validateNewStatefulSet,
    validateUpdate: validateStatefulSetUpdate,
    strictFormats: podStrictFormats("spec.template.spec"),
    warnings: templateWarnings(["spec", "template"]),
  },
  subresources: {
    status: { keeps: ["spec"], validateUpdate: validateStatefulSetStatus },
    scale: { scales: "labelSelector" },
  },
  columns: statefulSetColumns,
} as const satisfies BuiltInResource;

/** Keeps volume claims unless the set says otherwise. */
function retainClaims(set: JsonObject): void {
  const policy = objectAt(objectAt(set, "spec"), "persistentVolumeClaimRetentionPolicy");
  policy["whenDeleted"] ||= "Retain";
  policy["whenScaled"] ||= "Retain";
}

/** Sets the default number of pods that a rolling update may take away at a time. Rolling updates are the default. */
function updateOneByOne(set: JsonObject): void {
  const strategy = objectAt(objectAt(set, "spec"), "updateStrategy");
  const isRolling = strategy["type"] === "RollingUpdate" && isObject(strategy["rollingUpdate"]);
  if (!strategy["type"] || isRolling) objectAt(strategy, "rollingUpdate")["maxUnavailable"] ??= 1;
}
