// The part of a resource's tree that a request can concern.

import { orderForm } from "@orch/store";
import { objectPath } from "../objects/key-layout";
import type { EntryTree } from "./snapshots";

export interface Positions {
  readonly from: number;
  /** Excluded. */
  readonly to: number;
}

/**
 * Returns the positions for a request.
 * @param namespace "" for all namespaces, and for cluster-scoped resources
 * @param name the only selected name, if any; does not narrow a request across all namespaces
 */
export function positionsOf(
  tree: EntryTree,
  {
    namespace,
    name,
    namespaced,
  }: { readonly namespace: string; readonly name: string | undefined; readonly namespaced: boolean },
): Positions {
  if (name !== undefined && (namespace !== "" || !namespaced)) {
    const key = orderForm(objectPath(namespace, name));
    const from = tree.rank(key);
    return { from, to: tree.get(key) === undefined ? from : from + 1 };
  }
  if (namespace === "") return { from: 0, to: tree.size };
  return { from: tree.rank(orderForm(`${namespace}/`)), to: tree.rank(orderForm(`${namespace}0`)) };
}
