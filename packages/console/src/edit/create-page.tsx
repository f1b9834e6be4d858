import { useMemo } from "preact/hooks";
import { apiVersionOf, type Resource } from "../discovery/resource";
import { findResource } from "../discovery/resources";
import { Loading } from "../parts/loading";
import type { PageProps } from "../parts/page-view";
import { useTitle } from "../parts/title";
import { UnknownResource } from "../parts/unknown-resource";
import { useLoaded } from "../parts/use-loaded";
import { objectAddress, readPlace, tableAddress } from "../routes/addresses";
import { goTo } from "../routes/router";
import { yamlOf } from "../values/yaml-text";
import { Editing } from "./editing";
import { exampleOf } from "./example";
import { loadSchema } from "./load-schema";

/** Creates an object, beginning with the fields that its schema requires. */
export function CreatePage({ route }: PageProps) {
  const place = readPlace(route.parts);
  const resource = findResource(place.group, place.resource, place.version);
  useTitle(`Create ${resource?.kind ?? place.resource}`);
  if (resource === undefined) return <UnknownResource place={place} />;
  return <CreateObject key={route.parts.join("/")} resource={resource} namespace={route.query["ns"]} />;
}

function CreateObject({
  resource,
  namespace,
}: {
  readonly resource: Resource;
  readonly namespace: string | undefined;
}) {
  const place = resource.isNamespaced ? (namespace ?? "default") : undefined;
  // Without a schema, the editor begins with the identity alone.
  const { value, isLoading } = useLoaded(
    async (signal) => (await loadSchema(resource, signal).catch(() => undefined)) ?? { schemas: {}, root: {} },
    [resource],
  );
  const text = useMemo(() => {
    const identity = { apiVersion: apiVersionOf(resource), kind: resource.kind, namespace: place };
    return value === undefined ? "" : yamlOf(exampleOf(value.schemas, value.root, identity));
  }, [value, resource, place]);
  return (
    <>
      <p class="path">
        <a href={tableAddress(resource, { ns: namespace })}>{resource.kind}</a>
      </p>
      <h1>Create {resource.kind}</h1>
      {isLoading && <Loading subject="the schema" />}
      {value !== undefined && (
        <Editing
          resource={resource}
          text={text}
          namespace={place}
          schema={value}
          done={({ metadata }) => goTo(objectAddress(resource, metadata))}
        />
      )}
    </>
  );
}
