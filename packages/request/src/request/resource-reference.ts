// Names of resources in query parameters: `RESOURCE` of the core group, `RESOURCE.GROUP` in its preferred version,
// `GROUP/VERSION/RESOURCE`, and `VERSION/RESOURCE` of the core group. Source: docs/lists.md, "Names of resources".
import type { GroupRoutes, ResourceRoutes } from "../routes/resource-routes";
import { versionsInOrder } from "../routes/version-order";

export interface ResourceReference {
  readonly group: string;
  /** ANY_VERSION when the version is not given, and the group does not serve the resource. */
  readonly version: string;
  readonly resource: string;
}

/** Stands for the version of a resource that is not served, as in an access review. */
const ANY_VERSION = "*";

/** @returns undefined for a text of another form */
export function readReference(text: string, routes: ResourceRoutes): ResourceReference | undefined {
  const parts = text.split("/", PARTS_MAX + 1);
  if (parts.length > PARTS_MAX || !parts.every((part) => SEGMENT.test(part))) return undefined;
  const [first = "", second, third] = parts;
  if (second === undefined) {
    const dot = first.indexOf(".");
    const [resource, group] = dot < 0 ? [first, ""] : [first.slice(0, dot), first.slice(dot + 1)];
    return { group, resource, version: preferredVersion(group, resource, routes) };
  }
  const [group, version, resource] = third === undefined ? ["", first, second] : [first, second, third];
  return resource.includes(".") ? undefined : { group, version, resource };
}

/** `[GROUP/]VERSION/RESOURCE` */
export const referenceText = ({ group, version, resource }: ResourceReference): string =>
  group === "" ? `${version}/${resource}` : `${group}/${version}/${resource}`;

/** Forms of a name, for error messages. */
export const REFERENCE_FORMS =
  "RESOURCE (of the core group), RESOURCE.GROUP, GROUP/VERSION/RESOURCE or VERSION/RESOURCE";

/** Quotes the beginning of a text of the client in an error message. */
export const quotedStart = (text: string): string => JSON.stringify(text.slice(0, QUOTED_MAX));
const QUOTED_MAX = 100;

const PARTS_MAX = 3;
const SEGMENT = /^[a-z0-9][-a-z0-9.]{0,252}$/;

function preferredVersion(group: string, resource: string, routes: ResourceRoutes): string {
  const served = routes.groups().get(group) ?? NONE;
  const serves = (version: string) => routes.find({ group, version, resource, subresource: "" }) !== undefined;
  return versionsInOrder(group, served).find(serves) ?? (group === "" ? "v1" : ANY_VERSION);
}

const NONE: GroupRoutes = new Map();
