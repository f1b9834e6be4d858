import type { coreV1 } from "@orch/schema";
import type { BuiltInResource } from "../built-in-resource";
import { replicaColumns } from "../columns/replica-columns";
import { labelsText } from "../columns/selector-text";
import { labelLikePods, selectPods } from "../defaults/workload";
import { podFields } from "../features/gated-fields";
import { count } from "../selectable-fields";
import {
  replicationControllerErrors,
  replicationControllerStatusErrors,
} from "../validation/core/replication-controller";

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
    initialStatus: {},
    keepOnUpdate: ["status"],
    gated: podFields("spec.template.spec"),
    generationFrom: ["spec"],
    validate: replicationControllerErrors,
  },
  subresources: {
    status: { keeps: ["spec"], validateUpdate: replicationControllerStatusErrors },
    scale: { scales: "labels" },
  },
  selectableFields: { "status.replicas": count("status.replicas") },
  columns: replicaColumns<coreV1.ReplicationController>(({ spec }) => labelsText(spec?.selector)),
} as const satisfies BuiltInResource;
