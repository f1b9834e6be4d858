// The owners of an object, and the objects that it owns directly or indirectly.
import { collectionPath, type Resource } from "../discovery/resource";
import { resourceOfKind, resources } from "../discovery/resources";
import { asFailure } from "../requests/failure";
import { itemsOf } from "../requests/lists";
import type { ApiObject, OwnerReference } from "../values/api-object";
import { eachInTurn } from "../values/each-in-turn";

interface Owned {
  readonly resource: Resource;
  readonly object: ApiObject;
}

export interface OwnerTree {
  /** Dependents by the uid of their owner. */
  readonly byOwner: ReadonlyMap<string, readonly Owned[]>;
  /** Resources that the user may not list, whose objects are not in the tree. */
  readonly hidden: readonly Resource[];
  /** Resources with more objects than are examined. */
  readonly cut: readonly Resource[];
}

const AT_A_TIME = 6;
/** Objects of one resource that are examined. */
const MOST = 5000;

export const ownersOf = ({ metadata }: ApiObject): readonly OwnerReference[] => metadata.ownerReferences ?? [];

export const ownerResource = ({ apiVersion, kind }: OwnerReference): Resource | undefined =>
  resourceOfKind(apiVersion, kind);

/**
 * Examines the objects of all resources that may be dependents: those of the namespace, and all when the owner has none. Only
 * their names and owners are read.
 */
export async function dependentsIn(namespace: string | undefined, signal: AbortSignal): Promise<OwnerTree> {
  const byOwner = new Map<string, Owned[]>();
  const hidden: Resource[] = [];
  const cut: Resource[] = [];
  const searched = resources.value.filter(
    ({ verbs, isNamespaced }) => verbs.includes("list") && verbs.includes("delete") && (isNamespaced || !namespace),
  );
  await eachInTurn(searched, AT_A_TIME, async (resource) => {
    if (signal.aborted) return;
    try {
      const { items, isWhole } = await itemsOf<ApiObject>(collectionPath(resource, namespace), {
        query: { fields: ".metadata.ownerReferences,.metadata.deletionTimestamp" },
        max: MOST,
        signal,
      });
      if (!isWhole) cut.push(resource);
      for (const object of items)
        for (const { uid } of ownersOf(object)) byOwner.set(uid, [...(byOwner.get(uid) ?? []), { resource, object }]);
    } catch (error) {
      if (asFailure(error).code === 403) hidden.push(resource);
      else throw error;
    }
  });
  return { byOwner, hidden, cut };
}
