import { qualifiedName, type Resource } from "../discovery/resource";
import { FailureNote } from "../parts/failure-note";
import { Loading } from "../parts/loading";
import { useLoaded } from "../parts/use-loaded";
import { objectAddress } from "../routes/addresses";
import type { ApiObject } from "../values/api-object";
import { dependentsIn, type OwnerTree, ownerResource, ownersOf } from "./related";

interface Props {
  readonly resource: Resource;
  readonly object: ApiObject;
}

/** Levels of dependents that are shown. Owner references could form a circle. */
const DEEPEST = 8;
/** Dependents of one owner that are shown. */
const WIDEST = 200;

/** The owners of an object and its dependents as a tree. */
export function RelatedView({ resource, object }: Props) {
  const { namespace, uid = "", resourceVersion } = object.metadata;
  const { value, failure, again } = useLoaded(
    (signal) => dependentsIn(namespace, signal),
    [namespace, uid, resourceVersion],
  );
  const owners = ownersOf(object);
  return (
    <>
      <h2>Owners</h2>
      {owners.length === 0 && <p>The object has no owners.</p>}
      <ul class="tree">
        {owners.map((owner) => {
          const found = ownerResource(owner);
          const place = { name: owner.name, namespace: found?.isNamespaced ? namespace : undefined };
          return (
            <li key={owner.uid}>
              {owner.kind} {found === undefined ? owner.name : <a href={objectAddress(found, place)}>{owner.name}</a>}{" "}
              <span class="quiet">
                {owner.controller && "controller"} {owner.blockOwnerDeletion && "its deletion waits for this object"}
              </span>
            </li>
          );
        })}
      </ul>
      <h2>Dependents</h2>
      {failure !== undefined && <FailureNote failure={failure} subject="The search for dependents" again={again} />}
      {value === undefined && failure === undefined && <Loading subject="the dependents" />}
      {value !== undefined && (
        <>
          {value.byOwner.has(uid) ? (
            <Branch tree={value} uid={uid} depth={0} />
          ) : (
            <p>
              No object {namespace === undefined ? "" : `in the namespace ${namespace} `}names this {resource.kind} as
              its owner.
            </p>
          )}
          <Limits tree={value} />
        </>
      )}
    </>
  );
}

function Branch({ tree, uid, depth }: { readonly tree: OwnerTree; readonly uid: string; readonly depth: number }) {
  const owned = tree.byOwner.get(uid) ?? [];
  if (owned.length === 0 || depth >= DEEPEST) return null;
  return (
    <ul class="tree">
      {owned.slice(0, WIDEST).map(({ resource, object }) => (
        <li key={object.metadata.uid}>
          {resource.kind} <a href={objectAddress(resource, object.metadata)}>{object.metadata.name}</a>{" "}
          {object.metadata.deletionTimestamp !== undefined && <span class="warning">being deleted</span>}
          <Branch tree={tree} uid={object.metadata.uid ?? ""} depth={depth + 1} />
        </li>
      ))}
      {owned.length > WIDEST && <li class="quiet">and {owned.length - WIDEST} more</li>}
    </ul>
  );
}

function Limits({ tree: { hidden, cut } }: { readonly tree: OwnerTree }) {
  return (
    <>
      {hidden.length > 0 && (
        <p class="quiet">You may not list, so that they are not searched: {hidden.map(qualifiedName).join(", ")}.</p>
      )}
      {cut.length > 0 && (
        <p class="quiet">Only a part of the objects is searched of: {cut.map(qualifiedName).join(", ")}.</p>
      )}
    </>
  );
}
