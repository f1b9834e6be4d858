// Rolls a deployment back to an earlier revision: the deployment controller reads the request from the spec. Source:
// pkg/registry/apps/deployment/storage/storage.go, RollbackREST.
import { metaOf, writableMeta } from "@orch/machinery";
import type { ActionHandler } from "@orch/request";
import type { JsonObject } from "@orch/schema";

export const rollback: ActionHandler = async ({ body, key, storage, write }) => {
  const { version, subresource: _, ...context } = write;
  const ask = (deployment: JsonObject): JsonObject => {
    // Only old versions have the field; the conversion decides where other versions keep it.
    const old = version.fromHub?.(deployment) ?? deployment;
    writableMeta(old)["annotations"] = { ...metaOf(old).annotations, ...(body["updatedAnnotations"] as JsonObject) };
    (old["spec"] as JsonObject)["rollbackTo"] = body["rollbackTo"] ?? {};
    return version.toHub?.(old) ?? old;
  };
  await storage.changeInPlace(ask, key, { ...context, version });
  return undefined;
};
