// The parameters of a watch of several resources, `GET /watch?resource=…&resource=…`. Each resource is read as the
// request for a watch of it alone, so that it has the same attributes. Source: docs/lists.md, "Watches of several
// resources".
import { queryBoolean } from "@orch/machinery";
import type { ResourceRoutes } from "../routes/resource-routes";
import type { Line, RequestedPart, RequestInfo } from "./request-kinds";
import {
  quotedStart,
  REFERENCE_FORMS,
  type ResourceReference,
  readReference,
  referenceText,
} from "./resource-reference";

export const WATCH_PATH = "/watch";

/** Maximum number of resources of one watch. */
const PARTS_MAX = 128;

const PARAMETERS: ReadonlySet<string> = new Set([
  "resource",
  "watch",
  "partial",
  "resourceVersion",
  "resourceVersionMatch",
  "sendInitialEvents",
  "allowWatchBookmarks",
  "timeoutSeconds",
  "includeObject",
]);

const OPTIONS: ReadonlySet<string> = new Set(["namespace", "labelSelector", "fieldSelector"]);

/** Other methods are answered 405 by the handler of the path. */
export const isWatchOfSeveral = ({ method, path }: Line): boolean => path === WATCH_PATH && method === "GET";

interface WatchedParts {
  readonly parts: readonly RequestedPart[];
  readonly isPartial: boolean;
}

/**
 * @param requestFor reads the request for one resource
 * @returns the error as a text, for parameters that are unknown or malformed
 */
export function watchedParts(
  query: URLSearchParams,
  routes: ResourceRoutes,
  requestFor: (url: string) => RequestInfo,
): WatchedParts | string {
  for (const name of query.keys()) {
    if (PARAMETERS.has(name)) continue;
    if (OPTIONS.has(name)) return `${name}: belongs to one resource: write resource=RESOURCE;${name}=VALUE`;
    return `${quotedStart(name)} is not a parameter of a watch of several resources: it takes ${[...PARAMETERS].join(", ")}`;
  }
  for (const name of PARAMETERS) {
    if (name !== "resource" && query.getAll(name).length > 1) return `${name}: is given twice; give it once`;
  }
  const texts = query.getAll("resource");
  if (texts.length === 0) return "resource: is required: GET /watch?resource=pods&resource=deployments.apps";
  if (texts.length > PARTS_MAX) return `resource: must be given at most ${PARTS_MAX} times, not ${texts.length} times`;
  const parts = new Map<string, RequestedPart>();
  for (const text of texts) {
    const read = readPart(text, routes, requestFor);
    if (typeof read === "string") return `resource: ${quotedStart(text)}: ${read}`;
    const url = read.info.path + read.info.search;
    if (parts.has(url)) return `resource: ${quotedStart(text)}: is given twice; give it once`;
    parts.set(url, read);
  }
  return { parts: [...parts.values()], isPartial: queryBoolean(query, "partial") };
}

function readPart(
  text: string,
  routes: ResourceRoutes,
  requestFor: (url: string) => RequestInfo,
): RequestedPart | string {
  const [name = "", ...options] = text.split(";");
  const reference = readReference(name, routes);
  if (reference === undefined) return NAME_FORM;
  const chosen = new Map<string, string>();
  for (const option of options) {
    const [key = "", value] = splitAt(option, option.indexOf("="));
    if (!OPTIONS.has(key))
      return `${quotedStart(key)} is not an option of a resource: it takes ${[...OPTIONS].join(", ")}`;
    if (chosen.has(key)) return `${key} is given twice; give it once`;
    chosen.set(key, value);
  }
  const info = requestFor(urlOf(reference, chosen));
  switch (info.kind) {
    case "unserved":
    case "remote":
    case "collection":
      // A part of a namespace, such as its status, has the path of a resource.
      return info.verb === "watch" ? { name: referenceText(reference), info } : NOT_WATCHED;
    case "unreadable":
      return info.why;
    default:
      return NOT_WATCHED;
  }
}

const NAME_FORM = `must be ${REFERENCE_FORMS}`;
const NOT_WATCHED = "is not a resource that can be watched";

function urlOf({ group, version, resource }: ResourceReference, options: ReadonlyMap<string, string>): string {
  const namespace = options.get("namespace") ?? "";
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const within = namespace === "" ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  const query = new URLSearchParams({ watch: "true" });
  for (const [name, value] of options) if (name !== "namespace") query.set(name, value);
  return `${root}${within}/${resource}?${query}`;
}

const splitAt = (text: string, at: number): [string, string] =>
  at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
