// Effects that a write waits for before its answer; see serving/acknowledged-writes.ts.
import type { Entry, ObjectKey } from "@orch/registry";
import type { ActionRoute, ApiRequest, ResourceRoute } from "@orch/request";
import type { WriteDeps } from "./handler";

interface Acknowledged {
  readonly request: ApiRequest;
  readonly info: { readonly route: ResourceRoute | ActionRoute; readonly key: ObjectKey };
}

/**
 * @param entry the written object; absent when its revision is unknown
 * @returns undefined when there is nothing to wait for
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
