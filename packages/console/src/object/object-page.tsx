import { useState } from "preact/hooks";
import { can, type Resource } from "../discovery/resource";
import { findResource } from "../discovery/resources";
import { useObject } from "../live/use-object";
import { FailureNote } from "../parts/failure-note";
import { Loading } from "../parts/loading";
import type { PageProps } from "../parts/page-view";
import { Tabs } from "../parts/tabs";
import { TimeText } from "../parts/time-text";
import { useTitle } from "../parts/title";
import { UnknownResource } from "../parts/unknown-resource";
import {
  deletedAddress,
  editAddress,
  objectAddress,
  readObjectName,
  readPlace,
  tableAddress,
} from "../routes/addresses";
import type { ApiObject } from "../values/api-object";
import { ConditionList } from "./condition-list";
import { DeleteDialog } from "./delete-dialog";
import { DeletionNote } from "./deletion-note";
import { EventList } from "./event-list";
import { HistoryView } from "./history-view";
import { ManagedYaml } from "./managed-yaml";
import { RelatedView } from "./related-view";
import "./object.css";

const TABS = [
  { name: "yaml", title: "YAML" },
  { name: "related", title: "Owners and dependents" },
  { name: "events", title: "Events" },
  { name: "history", title: "History" },
] as const;

/** One object: its fields with their managers, what belongs to it, what happened to it, and what it was before. */
export function ObjectPage({ route }: PageProps) {
  const place = readPlace(route.parts);
  const { namespace, name } = readObjectName(route.parts);
  const resource = findResource(place.group, place.resource, place.version);
  useTitle(`${name} – ${resource?.kind ?? place.resource}`);
  if (resource === undefined) return <UnknownResource place={place} />;
  return <OneObject resource={resource} namespace={namespace} name={name} tab={route.query["tab"] ?? "yaml"} />;
}

interface Props {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly tab: string;
}

function OneObject({ resource, namespace, name, tab }: Props) {
  const { object, isDeleted, failure, reload } = useObject(resource, namespace, name);
  const [isDeleting, setDeleting] = useState(false);
  const place = { namespace, name };
  return (
    <>
      <p class="path">
        <a href={tableAddress(resource, { ns: namespace })}>{resource.kind}</a>
        {namespace !== undefined && ` in ${namespace}`}
      </p>
      <div class="heading">
        <h1>{name}</h1>
        {object !== undefined && !isDeleted && (
          <span class="actions">
            {(can(resource, "update") || can(resource, "patch")) && (
              <a class="button" href={editAddress(resource, place)}>
                Edit
              </a>
            )}
            {can(resource, "delete") && (
              <button type="button" class="danger" onClick={() => setDeleting(true)}>
                Delete
              </button>
            )}
          </span>
        )}
      </div>
      {failure !== undefined && <FailureNote failure={failure} subject={`${resource.kind} ${name}`} again={reload} />}
      {failure?.code === 404 && (
        <p>
          <a href={deletedAddress(resource, namespace)}>Look for it among the deleted objects</a>
        </p>
      )}
      {isDeleted && (
        <div class="note" role="status">
          <p>The object was deleted. The page shows its last state.</p>
          <p>
            <a href={deletedAddress(resource, namespace)}>Deleted objects</a>
          </p>
        </div>
      )}
      {object === undefined && failure === undefined && <Loading subject={`${resource.kind} ${name}`} />}
      {object !== undefined && (
        <>
          {!isDeleted && <DeletionNote resource={resource} object={object} />}
          <Summary object={object} />
          <ConditionList object={object} />
          <Tabs
            tabs={TABS.map(({ name: each, title }) => ({
              title,
              address: objectAddress(resource, place, { tab: each === "yaml" ? undefined : each }),
              isPresent: each === tab,
            }))}
          />
          {tab === "yaml" && <ManagedYaml object={object} />}
          {tab === "related" && <RelatedView resource={resource} object={object} />}
          {tab === "events" && <EventList object={object} />}
          {tab === "history" && <HistoryView resource={resource} object={object} isDeleted={isDeleted} />}
        </>
      )}
      {isDeleting && object !== undefined && (
        <DeleteDialog resource={resource} object={object} close={() => setDeleting(false)} />
      )}
    </>
  );
}

function Summary({ object }: { readonly object: ApiObject }) {
  const { creationTimestamp, labels = {}, uid, resourceVersion, generation } = object.metadata;
  const entries = Object.entries(labels);
  return (
    <dl class="summary">
      <dt>Created</dt>
      <dd>
        <TimeText time={creationTimestamp} />
      </dd>
      <dt>Version</dt>
      <dd>
        {resourceVersion}
        {generation !== undefined && <span class="quiet"> (generation {generation})</span>}
      </dd>
      <dt>Uid</dt>
      <dd class="mono">{uid}</dd>
      {entries.length > 0 && (
        <>
          <dt>Labels</dt>
          <dd>
            {entries.map(([name, value]) => (
              <code key={name} class="label">
                {name}={value}
              </code>
            ))}
          </dd>
        </>
      )}
    </dl>
  );
}
