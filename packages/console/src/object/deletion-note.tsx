import type { Resource } from "../discovery/resource";
import { objectPath } from "../discovery/resource";
import { findResource } from "../discovery/resources";
import { useLoaded } from "../parts/use-loaded";
import { json } from "../requests/api";
import { names } from "../session/settings";
import type { ApiObject } from "../values/api-object";
import { type Dependent, deletionReasons } from "./deletion-reasons";
import { dependentsIn } from "./related";

interface Props {
  readonly resource: Resource;
  readonly object: ApiObject;
}

/** Tells why an object cannot be deleted, or why it is not gone yet. */
export function DeletionNote({ resource, object }: Props) {
  const { metadata } = object;
  const isWaiting = metadata.deletionTimestamp !== undefined;
  const { value } = useLoaded(
    async (signal) => ({
      namespace: await readNamespace(resource, metadata.namespace, signal),
      dependents: isWaiting ? await dependentsOf(object, signal) : [],
    }),
    [metadata.uid, metadata.namespace, metadata.resourceVersion],
  );
  const { namespace, dependents = [] } = value ?? {};
  const reasons = deletionReasons({ object, protection: names().deletionProtection, namespace, dependents });
  if (reasons.length === 0) return null;
  return (
    <section class="note" aria-label="Deletion">
      <strong>{isWaiting ? "The object is being deleted" : "About a deletion"}</strong>
      <ul>
        {reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
    </section>
  );
}

/** Returns the namespace; undefined when the user may not read it, or the object has none. */
async function readNamespace(
  resource: Resource,
  name: string | undefined,
  signal: AbortSignal,
): Promise<ApiObject | undefined> {
  const namespaces = findResource("", "namespaces");
  if (!resource.isNamespaced || name === undefined || namespaces === undefined) return undefined;
  return json<ApiObject>(objectPath(namespaces, undefined, name), { signal }).catch(() => undefined);
}

async function dependentsOf({ metadata }: ApiObject, signal: AbortSignal): Promise<Dependent[]> {
  const { uid = "", namespace, finalizers = [] } = metadata;
  if (!finalizers.includes("foregroundDeletion")) return [];
  const { byOwner } = await dependentsIn(namespace, signal);
  return (byOwner.get(uid) ?? []).map(({ resource, object }) => ({
    kind: resource.kind,
    name: object.metadata.name,
    isBlocking: object.metadata.ownerReferences?.some((each) => each.uid === uid && each.blockOwnerDeletion) === true,
  }));
}
