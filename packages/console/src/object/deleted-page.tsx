import { useState } from "preact/hooks";
import { collectionPath, type Resource } from "../discovery/resource";
import { findResource } from "../discovery/resources";
import { FailureNote } from "../parts/failure-note";
import { Loading } from "../parts/loading";
import { NamespaceField } from "../parts/namespace-field";
import type { PageProps } from "../parts/page-view";
import { TimeText } from "../parts/time-text";
import { useTitle } from "../parts/title";
import { UnknownResource } from "../parts/unknown-resource";
import { useIsShown } from "../parts/use-is-shown";
import { useLoaded } from "../parts/use-loaded";
import { asFailure, type Failure } from "../requests/failure";
import { itemsOf } from "../requests/lists";
import { objectAddress, readPlace, tableAddress } from "../routes/addresses";
import { goTo, setQuery } from "../routes/router";
import { restore, stateAt } from "./revisions";
import "./object.css";
import { yamlOf } from "../values/yaml-text";

/** Format: docs/history.md, "Deleted objects". */
interface DeletedObject {
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
  readonly time: string;
  readonly user: string;
  readonly lastState?: string;
}

/** The deleted objects of a resource whose states are kept. */
export function DeletedPage({ route }: PageProps) {
  const place = readPlace(route.parts);
  const resource = findResource(place.group, place.resource, place.version);
  useTitle(`Deleted: ${resource?.kind ?? place.resource}`);
  if (resource === undefined) return <UnknownResource place={place} />;
  return <DeletedList resource={resource} namespace={route.query["ns"] ?? ""} />;
}

function DeletedList({ resource, namespace }: { readonly resource: Resource; readonly namespace: string }) {
  const { value, failure, again } = useLoaded(
    (signal) => itemsOf<DeletedObject>(collectionPath(resource, namespace), { query: { history: "deleted" }, signal }),
    [resource, namespace],
  );
  return (
    <>
      <p class="path">
        <a href={tableAddress(resource, { ns: namespace })}>{resource.kind}</a>
      </p>
      <h1>Deleted objects</h1>
      <div class="filters">
        {resource.isNamespaced && <NamespaceField value={namespace} choose={(ns) => setQuery({ ns })} />}
      </div>
      {failure?.code === 404 || failure?.code === 400 ? (
        <p>
          The server keeps no history of this resource. The flag <code>--history</code> switches it on.
        </p>
      ) : (
        failure !== undefined && <FailureNote failure={failure} subject="The list" again={again} />
      )}
      {value === undefined && failure === undefined && <Loading subject="the deleted objects" />}
      {value?.items.length === 0 && <p>There are no deleted objects whose states are kept.</p>}
      <ul class="revisions">
        {value?.items.map((deleted) => (
          <DeletedRow key={deleted.uid} resource={resource} deleted={deleted} />
        ))}
      </ul>
    </>
  );
}

function DeletedRow({ resource, deleted }: { readonly resource: Resource; readonly deleted: DeletedObject }) {
  const { namespace, name, time, user, lastState } = deleted;
  const place = { resource, namespace, name };
  const [state, setState] = useState<string>();
  const [failure, setFailure] = useState<Failure>();
  const isShown = useIsShown();
  const orTell = (work: Promise<void>) => work.catch((error) => setFailure(asFailure(error)));
  const show = async () => setState(yamlOf(await stateAt(place, lastState ?? "")));
  const bringBack = async () => {
    const { metadata } = await restore(place);
    if (isShown()) goTo(objectAddress(resource, metadata));
  };
  return (
    <li>
      <div class="revision">
        <strong>{name}</strong> {namespace !== undefined && `in ${namespace}`}{" "}
        <span class="quiet">deleted by {user}</span> <TimeText time={time} />
        {lastState !== undefined && (
          <button type="button" onClick={() => orTell(show())}>
            Show {name}
          </button>
        )}
        <button type="button" onClick={() => orTell(bringBack())}>
          Restore {name}
        </button>
      </div>
      {failure !== undefined && <FailureNote failure={failure} subject={name} />}
      {state !== undefined && <pre class="state">{state}</pre>}
    </li>
  );
}
