// Resources and kinds within an API group, and their form in messages.

/** A resource by its plural name, such as `deployments` in `apps`; "" is the core group. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** A version of a group, such as `v1` of `apps`; "" is the core group. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** Returns `pods` or `deployments.apps`. */
export const resourceText = (of: GroupResource): string => withGroup(of.resource, of.group);

/** Returns `Pod` or `Deployment.apps`. */
export const kindText = (of: GroupKind): string => withGroup(of.kind, of.group);

/** Returns the `apiVersion` of a group version: `v1` or `apps/v1`. */
export const apiVersionText = (of: GroupVersion): string =>
  of.group === "" ? of.version : `${of.group}/${of.version}`;

/**
 * Parses an `apiVersion`.
 * @returns undefined when the text has more than one slash or no version
 */
export function parseApiVersion(text: string): GroupVersion | undefined {
  const parts = text.split("/");
  const version = parts.at(-1);
  if (parts.length > 2 || version === undefined || version === "") return undefined;
  return { group: parts.length === 2 ? (parts[0] ?? "") : "", version };
}

const withGroup = (name: string, group: string): string => (group === "" ? name : `${name}.${group}`);
