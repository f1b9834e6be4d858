// The OpenAPI v3 document of a group version, which has the schemas of its kinds.
import type { Resource } from "../discovery/resource";
import { json } from "../requests/api";
import { names } from "../session/settings";
import { isRecord } from "../values/api-object";
import type { Schema, Schemas } from "./schema-fields";

export interface KindSchema {
  readonly schemas: Schemas;
  readonly root: Schema;
}

interface Index {
  readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
}

/** Returns the schema of a kind; undefined when the document has none. @throws ApiFailure */
export async function loadSchema(resource: Resource, signal: AbortSignal): Promise<KindSchema | undefined> {
  const { group, version, kind } = resource;
  const { paths } = await json<Index>("/openapi/v3", { signal });
  const address = paths[group === "" ? `api/${version}` : `apis/${group}/${version}`]?.serverRelativeURL;
  // An address leads to this server only.
  if (address === undefined || !address.startsWith("/openapi/")) return undefined;
  const document = await json<{ readonly components?: { readonly schemas?: Schemas } }>(address, { signal });
  const schemas = document.components?.schemas ?? {};
  const root = Object.values(schemas).find((schema) => {
    const identities = schema[`${names().extensions}group-version-kind`];
    return (
      Array.isArray(identities) &&
      identities.some(
        (each) => isRecord(each) && each["group"] === group && each["version"] === version && each["kind"] === kind,
      )
    );
  });
  return root === undefined ? undefined : { schemas, root };
}
