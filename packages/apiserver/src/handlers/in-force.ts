// What a write has to wait for between the store and its answer; see server/acknowledged-writes.ts.
import type { Entry, ObjectKey } from "@orch/registry";
import type { ApiRequest } from "../pipeline/request-context";
import type { ActionRoute, ResourceRoute } from "../routes/resource-route";
import type { WriteDeps } from "./handler";

interface Acknowledged {
  readonly request: ApiRequest;
  readonly info: { readonly route: ResourceRoute | ActionRoute; readonly key: ObjectKey };
}

/**
 * @param entry as written; absent where its revision is not known
 * @returns undefined where there is nothing to wait for
 */
export function inForce(
  { acknowledged }: Pick<WriteDeps, "acknowledged">,
  { request, info }: Acknowledged,
  entry?: Entry,
): Promise<void> | undefined {
  if (acknowledged === undefined || request.context.dryRun !== "") return undefined;
  const { definition, storage } = info.route;
  const { key } = info;
  const named = entry === undefined ? key : { namespace: entry.namespace, name: entry.name };
  return acknowledged.inForce({ definition, storage, key: named, revision: entry?.resourceVersion });
}
