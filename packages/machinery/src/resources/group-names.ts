// Resources and kinds within their API group, and how messages spell them.

/** A resource by its plural, such as `deployments` in `apps`; "" is the core group. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** A group's version, such as `v1` of `apps`; "" is the core group. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** `pods`, `deployments.apps`. */
export const resourceText = (of: GroupResource): string => withGroup(of.resource, of.group);

/** `Pod`, `Deployment.apps`. */
export const kindText = (of: GroupKind): string => withGroup(of.kind, of.group);

/** `v1`, `apps/v1`: the `apiVersion` of a group's version. */
export const apiVersionText = (of: GroupVersion): string =>
  of.group === "" ? of.version : `${of.group}/${of.version}`;

/** @returns undefined where the text has more than one slash or no version */
export function parseApiVersion(text: string): GroupVersion | undefined {
  const parts = text.split("/");
  const version = parts.at(-1);
  if (parts.length > 2 || version === undefined || version === "") return undefined;
  return { group: parts.length === 2 ? (parts[0] ?? "") : "", version };
}

const withGroup = (name: string, group: string): string => (group === "" ? name : `${name}.${group}`);
