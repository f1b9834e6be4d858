// A resource as discovery describes it.

export interface Resource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Plural name, as in paths. */
  readonly name: string;
  readonly kind: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly isNamespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
  /** Versions of the same resource, the preferred one first. */
  readonly versions: readonly string[];
}

/** Returns the name of a resource without its version: `deployments.apps`, `pods`. */
export const qualifiedName = ({ group, name }: Pick<Resource, "group" | "name">): string =>
  group === "" ? name : `${name}.${group}`;

export const apiVersionOf = ({ group, version }: Pick<Resource, "group" | "version">): string =>
  group === "" ? version : `${group}/${version}`;

/** Returns the path of a collection; that of all namespaces without a namespace. */
export function collectionPath(resource: Resource, namespace?: string): string {
  const root = resource.group === "" ? "/api" : `/apis/${resource.group}`;
  const place = resource.isNamespaced && namespace ? `namespaces/${encodeURIComponent(namespace)}/` : "";
  return `${root}/${resource.version}/${place}${resource.name}`;
}

export const objectPath = (resource: Resource, namespace: string | undefined, name: string): string =>
  `${collectionPath(resource, namespace)}/${encodeURIComponent(name)}`;

export const can = (resource: Resource, verb: string): boolean => resource.verbs.includes(verb);
