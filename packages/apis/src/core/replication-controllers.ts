import type { BuiltInResource } from "../built-in-resource";
import { labelLikePods, selectPods } from "../defaults/workload";
import { count } from "../selectable-fields";

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
    generationFrom: ["spec"],
  },
  subresources: { status: { keeps: ["spec"] }, scale: { scales: "labels" } },
  selectableFields: { "status.replicas": count("status.replicas") },
} as const satisfies BuiltInResource;
