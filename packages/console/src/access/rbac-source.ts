// The roles and bindings that the user may list.
import type { RbacObject, RbacResource, RbacSource } from "@orch/access";
import { collectionPath, type Resource } from "../discovery/resource";
import { findResource } from "../discovery/resources";
import { asFailure } from "../requests/failure";
import { type Page, pagesOf } from "../requests/lists";
import { names } from "../session/settings";

/** Returns undefined on a server without RBAC. */
export const rbacResource = (name: RbacResource): Resource | undefined => findResource(names().rbac, name);

export const rbacSource = (signal: AbortSignal): RbacSource => ({
  async *objects(name, namespace) {
    const resource = rbacResource(name);
    if (resource === undefined) return;
    const path = collectionPath(resource, namespace);
    for await (const { items } of pagesOf<Page & { readonly items: readonly RbacObject[] | null }>(path, { signal }))
      yield* items ?? [];
  },
  isRefusal: (error) => asFailure(error).code === 403,
});
