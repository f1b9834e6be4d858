// Asks a deployment to go back to an earlier revision: whoever runs deployments reads it from the specification.
// Source: facts, validation/apps.md "DeploymentRollback".
import { metaOf, writableMeta } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { ActionHandler } from "../../routes/resource-route";

export const rollback: ActionHandler = async ({ body, key, storage, write }) => {
  const { version, subresource: _, ...context } = write;
  const ask = (deployment: JsonObject): JsonObject => {
    // Only the old versions have a field for it; what the others keep it in is for their conversion to know.
    const old = version.fromHub?.(deployment) ?? deployment;
    writableMeta(old)["annotations"] = { ...metaOf(old).annotations, ...(body["updatedAnnotations"] as JsonObject) };
    (old["spec"] as JsonObject)["rollbackTo"] = body["rollbackTo"] ?? {};
    return version.toHub?.(old) ?? old;
  };
  await storage.changeInPlace(ask, key, { ...context, version });
  return undefined;
};
