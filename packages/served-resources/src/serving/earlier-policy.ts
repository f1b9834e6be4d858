// Migrates the policy of clusters from before aggregated roles, and from before the separate binding for public
// information: changes by operators are carried over to the new objects before these are reconciled. Source:
// pkg/registry/rbac/rest/storage_rbac.go.
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

/** Returns a copy under another name, with all labels, annotations and content. */
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
