// Additional stores, each for the resources that an option assigns to it. Each store has its own revisions: resource
// versions of objects in different stores are not comparable. A list or watch concerns one resource and therefore one
// store.
import type { GroupResource } from "@orch/machinery";
import type { StoreOverride } from "@orch/server-config";
import type { Store } from "@orch/store";

export interface OtherStores {
  readonly stores: readonly Store[];
  /** Returns the store of a resource that is not in the main store. */
  storeOf(resource: GroupResource): Store | undefined;
}

/** @param stores one per override, in the same order @returns undefined when there are no overrides */
export function otherStores(overrides: readonly StoreOverride[], stores: readonly Store[]): OtherStores | undefined {
  if (overrides.length === 0) return undefined;
  const byName = new Map(
    overrides.flatMap(({ resources }, at) =>
      resources.map((each): [string, Store | undefined] => [nameOf(each), stores[at]]),
    ),
  );
  return { stores, storeOf: (resource) => byName.get(nameOf(resource)) };
}

const nameOf = ({ group, resource }: GroupResource): string => `${group}/${resource}`;
