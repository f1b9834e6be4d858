// Stores beside the main one, each for the resources that an option gives it. A store counts its own revisions: resource versions of
// objects in different stores cannot be compared, and a list or a watch is always of one resource, hence of one store.
import type { GroupResource } from "@orch/machinery";
import type { Store } from "@orch/store";
import type { StoreOverride } from "../flags/store-overrides";

export interface OtherStores {
  readonly stores: readonly Store[];
  /** Returns the store of a resource that the main store does not hold. */
  storeOf(resource: GroupResource): Store | undefined;
}

/** @param stores one for each override, in their order @returns undefined where there is none */
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
