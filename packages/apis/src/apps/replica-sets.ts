import { likePods, podStrictFormats, replicaColumns, templateWarnings } from "@orch/apis-core";
import { type BuiltInResource, podFields, selectorText } from "@orch/apis-model";
import type { appsV1 } from "@orch/schema";
import { validateReplicaSet, validateReplicaSetStatus, validateReplicaSetUpdate } from "./replica-set-validation";

export const replicaSets = {
  group: "apps",
  kind: "ReplicaSet",
  plural: "replicasets",
  shortNames: ["rs"],
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
      group: "extensions",
      version: "v1beta1",
      defaults: { first: likePods, fields: { "spec.replicas": 1 } },
      introduced: "1.2",
      deprecated: "1.8",
      removed: "1.16",
      replacement: "apps/v1",
      orphansDependents: true,
    },
  ],
  defaults: { fields: { "spec.replicas": 1 } },
  rules: {
    nameFormat: "subdomain",
    declared: true,
    initialStatus: {},
    keepOnUpdate: ["status"],
    gated: podFields("spec.template.spec"),
    generationFrom: ["spec"],
    validate: validateReplicaSet,
    validateUpdate: validateReplicaSetUpdate,
    strictFormats: podStrictFormats("spec.template.spec"),
    warnings: templateWarnings(["spec", "template"]),
  },
  subresources: {
    status: {
      keeps: ["spec"],
      gated: { DeploymentReplicaSetTerminatingReplicas: ["status.terminatingReplicas"] },
      validateUpdate: validateReplicaSetStatus,
    },
    scale: { scales: "labelSelector" },
  },
  columns: replicaColumns<appsV1.ReplicaSet>(({ spec }) => selectorText(spec?.selector)),
} as const satisfies BuiltInResource;
