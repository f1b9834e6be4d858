import { useState } from "preact/hooks";
import type { Resource } from "../discovery/resource";
import { FailureNote } from "../parts/failure-note";
import { Loading } from "../parts/loading";
import { TimeText } from "../parts/time-text";
import { useLoaded } from "../parts/use-loaded";
import type { ApiObject } from "../values/api-object";
import { PatchList } from "./patch-list";
import { listRevisions, type Revision } from "./revisions";
import { RollbackDialog } from "./rollback-dialog";

interface Props {
  readonly resource: Resource;
  readonly object: ApiObject;
  readonly isDeleted: boolean;
}

/** The recorded writes of an object, with their differences and the way back. */
export function HistoryView({ resource, object, isDeleted }: Props) {
  const { namespace, name, resourceVersion } = object.metadata;
  const place = { resource, namespace, name };
  const [chosen, setChosen] = useState<Revision>();
  const { value, failure, again } = useLoaded(
    (signal) => listRevisions(place, signal),
    [resource, namespace, name, resourceVersion],
  );
  if (failure?.code === 404)
    return (
      <p>
        The server keeps no history of this object. The flag <code>--history</code>, or an annotation of the namespace,
        switches it on.
      </p>
    );
  if (failure !== undefined) return <FailureNote failure={failure} subject="The history" again={again} />;
  if (value === undefined) return <Loading subject="the history" />;
  if (value.items.length === 0) return <p>No write of this object has been recorded yet.</p>;
  const older = value.metadata.remainingItemCount ?? 0;
  return (
    <section aria-label="History">
      <ol class="revisions">
        {value.items.map((revision, index) => (
          <li key={revision.resourceVersion}>
            <div class="revision">
              <strong>{revision.change}</strong> by <span class="user">{revision.user}</span>{" "}
              <TimeText time={revision.time} />
              <span class="quiet">
                {" "}
                {[revision.verb, revision.subresource, revision.fieldManager, revision.userAgent]
                  .filter(Boolean)
                  .join(" · ")}
              </span>
              {(index > 0 || isDeleted) && revision.change !== "deleted" && !isDeleted && (
                <button type="button" onClick={() => setChosen(revision)}>
                  Compare and roll back to {revision.resourceVersion}
                </button>
              )}
            </div>
            {revision.note !== undefined && <p class="quiet">{revision.note}</p>}
            {revision.patch !== undefined && <PatchList patch={revision.patch} />}
          </li>
        ))}
      </ol>
      {older > 0 && <p class="quiet">{older} older revisions are not shown.</p>}
      {chosen !== undefined && (
        <RollbackDialog place={place} object={object} revision={chosen} close={() => setChosen(undefined)} />
      )}
    </section>
  );
}
