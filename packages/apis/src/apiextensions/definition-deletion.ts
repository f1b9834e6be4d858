// Deletion of custom resource definitions: a finalizer holds the definition until a controller has deleted its objects.
import { type DeletionRules, metaOf } from "@orch/machinery";
import { isObject, type JsonObject, type Vocabulary } from "@orch/schema";
import { withCondition } from "./definition-conditions";

export const definitionDeletion = ({ finalizers: names }: Vocabulary): DeletionRules => ({
  prepared(definition, nowMs) {
    const finalizer = names.customresourcecleanupApiextensions;
    const { finalizers = [] } = metaOf(definition);
    const metadata = { ...(definition["metadata"] as JsonObject), finalizers: [...finalizers, finalizer] };
    const status = isObject(definition["status"]) ? definition["status"] : {};
    return {
      ...definition,
      ...(finalizers.includes(finalizer) ? {} : { metadata }),
      status: withCondition(status, PENDING, nowMs),
    };
  },
});

const PENDING = {
  type: "Terminating",
  status: "True",
  reason: "InstanceDeletionPending",
  message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
} as const;
