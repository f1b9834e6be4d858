import { type BuiltInResource, count, labelsText, podFields } from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";
import { podStrictFormats } from "../pods/pod-strict-formats";
import { templateWarnings } from "../pods/warnings/pod-warnings";
import { replicaColumns } from "./replica-columns";
import { replicationControllerErrors, replicationControllerStatusErrors } from "./replication-controller-validation";
import { labelLikePods, selectPods } from "./workload-defaults";

export const replicationControllers = {
  group: "core",
  kind: "ReplicationController",
  plural: "replicationcontrollers",
  shortNames: ["rc"],
  categories: ["all"],
  scope: "Namespaced",
  versions: [{ version: "v1", orphansDependents: true }],
  defaults: {
    first: (controller, vocabulary) => {
      selectPods(controller, vocabulary);
      labelLikePods(controller, vocabulary);
    },
  },
  rules: {
    nameFormat: "subdomain",
    declared: "first",
    initialStatus: {},
    keepOnUpdate: ["status"],
    gated: podFields("spec.template.spec"),
    generationFrom: ["spec"],
    validate: replicationControllerErrors,
    strictFormats: podStrictFormats("spec.template.spec"),
    // Source: pkg/registry/core/replicationcontroller/strategy.go, `WarningsOnUpdate`.
    warnings: templateWarnings(["spec", "template"], { warnsOfOld: true }),
  },
  subresources: {
    status: { keeps: ["spec"], validateUpdate: replicationControllerStatusErrors },
    scale: { scales: "labels" },
  },
  selectableFields: { "status.replicas": count("status.replicas") },
  columns: replicaColumns<coreV1.ReplicationController>(({ spec }) => labelsText(spec?.selector)),
} as const satisfies BuiltInResource;
