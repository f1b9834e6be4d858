// Policy of clusters that were made before roles were aggregated, and before what is public had a binding of its own: what operators have
// changed in it is carried over to where it stands now, before the rest is brought up to date.
// Source: facts, rbac-bootstrap.json "primeAggregated", "splitBindings".
import { copyJson, metaOf } from "@orch/machinery";
import type { Entry, ResourceStorage } from "@orch/registry";
import type { JsonObject, Vocabulary } from "@orch/schema";
import { createUnlessPresent } from "./own-objects";

const AGGREGATED: Readonly<Record<string, string>> = {
  admin: "system:aggregate-to-admin",
  edit: "system:aggregate-to-edit",
  view: "system:aggregate-to-view",
};
const DISCOVERY = "system:discovery";
const PUBLIC_INFO = "system:public-info-viewer";

export async function carryOverEarlierPolicy(
  {
    clusterRoles,
    clusterRoleBindings,
  }: { readonly clusterRoles: ResourceStorage; readonly clusterRoleBindings: ResourceStorage },
  vocabulary: Vocabulary,
): Promise<void> {
  for (const [former, name] of Object.entries(AGGREGATED)) {
    const role = find(clusterRoles, former)?.object();
    if (role === undefined || role["aggregationRule"] != null || find(clusterRoles, name) !== undefined) continue;
    await createUnlessPresent(clusterRoles, named(role, name), vocabulary);
  }
  const discovery = find(clusterRoleBindings, DISCOVERY)?.object();
  if (discovery === undefined || find(clusterRoleBindings, PUBLIC_INFO) !== undefined) return;
  const roleRef = { ...(discovery["roleRef"] as JsonObject), name: PUBLIC_INFO };
  await createUnlessPresent(clusterRoleBindings, { ...named(discovery, PUBLIC_INFO), roleRef }, vocabulary);
}

const find = (storage: ResourceStorage, name: string): Entry | undefined => storage.peek({ namespace: "", name });

/** Another object with the labels and annotations of this one, and all that it says. */
function named(object: JsonObject, name: string): JsonObject {
  const { labels, annotations } = metaOf(object);
  const copy = copyJson(object);
  copy["metadata"] = {
    name,
    ...(labels && { labels: { ...labels } }),
    ...(annotations && { annotations: { ...annotations } }),
  };
  return copy;
}
