import type { Resource } from "../discovery/resource";
import { resourceOfKind } from "../discovery/resources";
import { useList } from "../live/use-list";
import { FailureNote } from "../parts/failure-note";
import { Loading } from "../parts/loading";
import { TimeText } from "../parts/time-text";
import type { ApiObject } from "../values/api-object";

interface Event extends ApiObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly lastTimestamp?: string;
  readonly eventTime?: string;
  readonly reportingComponent?: string;
  readonly source?: { readonly component?: string };
}

/** The events about an object, the newest first. New ones are shown as they come. */
export function EventList({ object }: { readonly object: ApiObject }) {
  const resource = resourceOfKind("v1", "Event");
  if (resource === undefined) return <p>The server has no events.</p>;
  return <Events resource={resource} object={object} />;
}

function Events({ resource, object }: { readonly resource: Resource; readonly object: ApiObject }) {
  const { uid = "", namespace } = object.metadata;
  const { items, failure, reload } = useList<Event>(resource, namespace, `involvedObject.uid=${uid}`);
  if (failure !== undefined) return <FailureNote failure={failure} subject="The list of events" again={reload} />;
  if (items === undefined) return <Loading subject="the events" />;
  const value = [...items].sort((one, other) => ((timeOf(one) ?? "") < (timeOf(other) ?? "") ? 1 : -1));
  if (value.length === 0) return <p>There are no events about the object. Events are kept for a limited time.</p>;
  return (
    <section aria-label="Events" class="scrolled">
      <table>
        <thead>
          <tr>
            <th scope="col">Last seen</th>
            <th scope="col">Type</th>
            <th scope="col">Reason</th>
            <th scope="col">Message</th>
            <th scope="col">From</th>
          </tr>
        </thead>
        <tbody>
          {value.map((event) => (
            <tr key={event.metadata.uid}>
              <td>
                <TimeText time={timeOf(event)} />
                {(event.count ?? 1) > 1 && <span class="quiet"> ×{event.count}</span>}
              </td>
              <td class={event.type === "Warning" ? "warning" : undefined}>{event.type}</td>
              <td>{event.reason}</td>
              <td>{event.message}</td>
              <td>{event.source?.component || event.reportingComponent}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const timeOf = ({ lastTimestamp, eventTime, metadata }: Event): string | undefined =>
  lastTimestamp || eventTime || metadata.creationTimestamp;
