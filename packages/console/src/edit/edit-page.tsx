import { useMemo, useRef } from "preact/hooks";
import type { Resource } from "../discovery/resource";
import { findResource } from "../discovery/resources";
import { useObject } from "../live/use-object";
import { FailureNote } from "../parts/failure-note";
import { Loading } from "../parts/loading";
import type { PageProps } from "../parts/page-view";
import { useTitle } from "../parts/title";
import { UnknownResource } from "../parts/unknown-resource";
import { objectAddress, readObjectName, readPlace } from "../routes/addresses";
import { goTo } from "../routes/router";
import type { ApiObject } from "../values/api-object";
import { yamlOf } from "../values/yaml-text";
import { Editing } from "./editing";

/** Edits an object as YAML. */
export function EditPage({ route }: PageProps) {
  const place = readPlace(route.parts);
  const { namespace, name } = readObjectName(route.parts);
  const resource = findResource(place.group, place.resource, place.version);
  useTitle(`Edit ${name}`);
  if (resource === undefined) return <UnknownResource place={place} />;
  return <EditObject key={route.parts.join("/")} resource={resource} namespace={namespace} name={name} />;
}

interface Props {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly name: string;
}

function EditObject({ resource, namespace, name }: Props) {
  const { object, failure, isDeleted, reload } = useObject(resource, namespace, name);
  /** The first state, which the editor begins with; later ones do not replace the text of the user. */
  const original = useRef<ApiObject | undefined>(undefined);
  original.current ??= object;
  const first = original.current;
  const text = useMemo(() => (first === undefined ? "" : yamlOf(editable(first))), [first]);
  const address = objectAddress(resource, { namespace, name });
  return (
    <>
      <p class="path">
        <a href={address}>
          {resource.kind} {name}
        </a>
      </p>
      <h1>Edit {name}</h1>
      {failure !== undefined && <FailureNote failure={failure} subject={`${resource.kind} ${name}`} again={reload} />}
      {isDeleted && (
        <p class="note" role="status">
          The object was deleted in the meantime.
        </p>
      )}
      {first === undefined && failure === undefined && <Loading subject={`${resource.kind} ${name}`} />}
      {first !== undefined && (
        <Editing
          resource={resource}
          text={text}
          original={first}
          present={object}
          namespace={namespace}
          done={() => goTo(address)}
        />
      )}
    </>
  );
}

/** Returns the object without the record of managers, which users do not write. */
function editable({ metadata: { managedFields: _managers, ...metadata }, ...fields }: ApiObject): unknown {
  const { apiVersion, kind, ...others } = fields;
  return { apiVersion, kind, metadata, ...others };
}
