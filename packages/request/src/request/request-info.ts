// The target of a request, parsed once from its method and URL. All later steps use this value, so that what is
// authorized, counted and logged is what is carried out. Source:
// staging/src/k8s.io/apiserver/pkg/endpoints/request/requestinfo.go.
import type { RemoteRegistration } from "@orch/extensions";
import { partsOfTarget } from "@orch/http-server";
import { parseFieldSelector, queryBoolean, type ResourceDefinition, requiredValue } from "@orch/machinery";
import {
  type ActionRoute,
  type HistoryRoute,
  partOf,
  type ResourceRoute,
  type ServedRoute,
  type VirtualRoute,
} from "../routes/resource-route";
import type { ResourceRoutes } from "../routes/resource-routes";
import { type ApiPath, endsThere, readApiPath } from "./api-path";
import { askedKinds, isEverything, routesInNamespaces } from "./everything-parts";
import type {
  CollectionRequest,
  ItemRequest,
  Line,
  OfResource,
  RemoteRequest,
  RequestedPart,
  RequestInfo,
  ServedRequest,
  SeveralRequest,
  UnreadableRequest,
  UnservedRequest,
} from "./request-kinds";
import { type ResourceReference, referenceText } from "./resource-reference";
import { isWatchOfSeveral, watchedParts } from "./watched-parts";

/** Finds another API server of the cluster that serves a resource. */
export type PeerFinder = (of: Pick<OfResource, "group" | "version" | "resource">) => RemoteRegistration | undefined;

/**
 * @param method as in the request line
 * @param url request target as in the request line
 * @param peerOf absent: requests for resources without routes are refused
 */
export function readRequestInfo(method: string, url: string, routes: ResourceRoutes, peerOf?: PeerFinder): RequestInfo {
  const target = partsOfTarget(method, url);
  if (typeof target === "string") return unreadable(method, url, target);
  const { path, search, authority } = target;
  const query = search.length > 1 ? new URLSearchParams(search.slice(1)) : undefined;
  const line: Line = { method, path, search, query, authority };
  const reading = readApiPath(path);
  switch (reading.kind) {
    case "unreadable":
      return unreadable(method, path, reading.why);
    case "other":
      if (isWatchOfSeveral(line)) return readWatchOfSeveral(line, routes);
      return { kind: "path", ...line, verb: method.toLowerCase(), longRunning: false, route: undefined };
    case "api":
      if (isEverything(reading.path)) return readEverything(line, reading.path, routes);
      return readResource(line, reading.path, routes, peerOf);
  }
}

function readEverything(
  line: Line,
  path: ApiPath,
  routes: ResourceRoutes,
): SeveralRequest | UnreadableRequest | UnservedRequest {
  if (line.method !== "GET" || !endsThere(path)) return unserved(line, path, endsThere(path) ? ["GET"] : undefined);
  const asked = askedKinds(line.query, routes);
  if (asked !== "all" && "problem" in asked) return unreadable(line.method, line.path, asked.problem);
  const alone: Line = { ...line, search: "", query: undefined };
  const partOf = (of: ResourceReference): RequestedPart => {
    const at = { ...path, ...of, subresource: "", name: "", tail: "" };
    const route = routes.find({ ...of, subresource: "" });
    const isServed =
      route !== undefined && leadsTo(at, route) && route.storage !== undefined && route.verbs.has("list");
    const info =
      isServed && route.connection === undefined && route.act === undefined && route.history === undefined
        ? requestOf("collection", "list", route as ResourceRoute, alone, at, "")
        : unserved(alone, at, undefined);
    return { name: referenceText(of), info };
  };
  const parts =
    asked === "all"
      ? routesInNamespaces(routes).map(({ version, definition }) =>
          partOf({ group: version.group, version: version.version, resource: definition.plural }),
        )
      : asked.map(partOf);
  return {
    kind: "several",
    ...line,
    verb: "list",
    longRunning: false,
    route: undefined,
    parts,
    isPartial: true,
    refused: [],
  };
}

function readWatchOfSeveral(line: Line, routes: ResourceRoutes): SeveralRequest | UnreadableRequest {
  const read = watchedParts(line.query ?? NO_QUERY, routes, (url) => readRequestInfo("GET", url, routes));
  if (typeof read === "string") return unreadable(line.method, line.path, read);
  return { kind: "several", ...line, verb: "watch", longRunning: true, route: undefined, ...read, refused: [] };
}

/** A request that is refused before its target is parsed, or whose target is malformed. */
export const unreadable = (method: string, path: string, why: string): UnreadableRequest => ({
  kind: "unreadable",
  method,
  path,
  search: "",
  query: undefined,
  authority: undefined,
  verb: method.toLowerCase(),
  longRunning: false,
  why,
  route: undefined,
});

function readResource(
  line: Line,
  path: ApiPath,
  routes: ResourceRoutes,
  peerOf: PeerFinder | undefined,
): ServedRequest | UnservedRequest | RemoteRequest {
  const { group, version, resource, subresource } = path;
  const registration = routes.elsewhere?.(group, version);
  if (registration !== undefined) return remote(line, path, registration);
  if (
    peerOf !== undefined &&
    resource !== "" &&
    routes.find({ group, version, resource, subresource: "" }) === undefined
  ) {
    const peer = peerOf({ group, version, resource });
    const info = peer && remote(line, path, peer);
    if (info?.kind === "remote") return { ...info, isOfPeer: true };
  }
  const route = path.isPlain ? routes.find({ group, version, resource, subresource }) : undefined;
  if (route === undefined || !leadsTo(path, route)) return unserved(line, path, undefined);
  const { connection } = route;
  if (connection !== undefined) {
    const { methods } = connection.rules;
    if (!methods.includes(line.method)) return unserved(line, path, methods);
    return requestOf("connection", VERBS[line.method] ?? "", route, line, path, path.name);
  }
  const verb = verbOn(route, path, line);
  if (verb === undefined || !route.verbs.has(verb)) {
    const methods = METHODS.filter((method) => {
      const other = verbOn(route, path, { ...line, method });
      return other !== undefined && route.verbs.has(other);
    });
    return unserved(line, path, methods);
  }
  return served(line, path, route, verb);
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

/** Whether the path has the form that the route's scope and subresource require. */
function leadsTo(path: ApiPath, route: ServedRoute): boolean {
  const { prefix, inNamespace, name, subresource } = path;
  const namespaced = route.definition.scope === "Namespaced";
  if (inNamespace ? !namespaced : namespaced && name !== "") return false;
  if (prefix === "proxy" || (prefix === "watch" && subresource !== "")) return false;
  return endsThere(path) || route.connection?.rules.takesPath === true;
}

type CollectionVerb = CollectionRequest["verb"];
type ItemVerb = ItemRequest["verb"] | "create";

/** The verb of a method at a path; undefined for a method that the path does not take. */
function verbOn(
  { definition, subresource }: ServedRoute,
  { prefix, inNamespace, name }: ApiPath,
  { method, query }: Pick<Line, "method" | "query">,
): CollectionVerb | ItemVerb | undefined {
  if (prefix === "watch") return method === "GET" ? "watch" : undefined;
  // Objects are written in one namespace at a time.
  const takesWrites = inNamespace || definition.scope === "Cluster";
  switch (method) {
    case "GET":
      return name !== "" ? "get" : isWatch(query) ? "watch" : "list";
    case "HEAD":
      // HEAD does not apply to a watch, which has no answer without a body.
      return name !== "" ? "get" : isWatch(query) ? undefined : "list";
    case "POST":
      return (name === "") === (subresource === undefined) && takesWrites ? "create" : undefined;
    case "PUT":
      return name === "" ? undefined : "update";
    case "PATCH":
      return name === "" ? undefined : "patch";
    case "DELETE":
      if (name !== "") return "delete";
      return takesWrites ? "deletecollection" : undefined;
    default:
      return undefined;
  }
}

const isWatch = (query: URLSearchParams | undefined): boolean => query !== undefined && queryBoolean(query, "watch");

function served(
  line: Line,
  path: ApiPath,
  route: ResourceRoute | VirtualRoute | ActionRoute | HistoryRoute,
  verb: CollectionVerb | ItemVerb,
): ServedRequest | UnservedRequest {
  const ofItem = path.name !== "";
  if (route.history !== undefined)
    return requestOf("history", verb === "create" ? verb : "get", route, line, path, path.name);
  if (route.storage === undefined || route.act !== undefined) {
    if (verb !== "create") return unserved(line, path, ["POST"]);
    return route.storage === undefined
      ? requestOf("question", verb, route, line, path, path.name)
      : requestOf("action", verb, route, line, path, path.name);
  }
  switch (verb) {
    case "watch":
      return ofItem
        ? requestOf("item", verb, route, line, path, path.name)
        : requestOf("collection", verb, route, line, path, selectedName(line.query));
    case "list":
      return requestOf("collection", verb, route, line, path, selectedName(line.query));
    case "create":
    case "deletecollection":
      return requestOf("collection", verb, route, line, path, "");
    case "get":
    case "update":
    case "patch":
    case "delete":
      return requestOf("item", verb, route, line, path, path.name);
  }
}

/** Builds the request from one route and one path. All requests have one hidden class. */
function requestOf<Kind extends ServedRequest["kind"], Verb extends string, Route extends ServedRoute>(
  kind: Kind,
  verb: Verb,
  route: Route,
  { method, path: sent, search, query, authority }: Line,
  { namespace, stem, tail, prefix }: ApiPath,
  name: string,
) {
  const { definition, version } = route;
  return {
    kind,
    method,
    path: sent,
    search,
    query,
    authority,
    verb,
    longRunning: kind === "connection" || verb === "watch",
    group: version.group,
    version: version.version,
    resource: definition.plural,
    subresource: partOf(route) ?? "",
    namespace,
    name,
    hasVerbInPath: prefix !== "",
    route,
    accessibleOnly: kind === "collection" && asksForAccessible(verb, definition, query),
    explains: kind !== "connection" && kind !== "question" && kind !== "history" && asksToExplain(verb, query),
    key: { namespace: definition.scope === "Cluster" ? "" : namespace, name },
    stem,
    tail,
  };
}

const asksToExplain = (verb: string, query: URLSearchParams | undefined) =>
  query !== undefined && EXPLAINED.has(verb) && query.get("admission") === "explain";

const EXPLAINED: ReadonlySet<string> = new Set(["create", "update", "patch", "delete", "deletecollection"]);

/** Other resources may have a parameter of this name without a meaning here. */
const asksForAccessible = (verb: string, { group, plural }: ResourceDefinition, query: URLSearchParams | undefined) =>
  query !== undefined &&
  (verb === "list" || verb === "watch") &&
  plural === "namespaces" &&
  group === "" &&
  query.has("accessible") &&
  queryBoolean(query, "accessible");

const VERBS: Readonly<Record<string, string>> = {
  POST: "create",
  GET: "get",
  HEAD: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/** @param allowed methods; undefined when the path leads nowhere */
const unserved = (line: Line, path: ApiPath, allowed: readonly string[] | undefined): UnservedRequest => ({
  kind: "unserved",
  ...line,
  ...attributesByForm(line, path),
  longRunning: false,
  route: undefined,
  allowed,
});

/**
 * Refuses paths with dot segments: the aggregated API server may normalize them, so that it carries out something else
 * than was authorized.
 */
function remote(line: Line, path: ApiPath, registration: RemoteRegistration): RemoteRequest | UnservedRequest {
  if (!path.isPlain || leadsUp(path.tail)) return unserved(line, path, undefined);
  const attributes = attributesByForm(line, path);
  const { verb, subresource } = attributes;
  const longRunning = verb === "watch" || verb === "proxy" || LONG_SUBRESOURCES.has(subresource);
  return { kind: "remote", ...line, ...attributes, longRunning, route: undefined, registration };
}

/** Source: cmd/kube-apiserver/app/server.go. */
const LONG_SUBRESOURCES: ReadonlySet<string> = new Set(["attach", "exec", "proxy", "log", "portforward"]);

function leadsUp(tail: string): boolean {
  if (!tail.includes(".") && !tail.includes("%")) return false;
  try {
    return decodeURIComponent(tail)
      .split(/[/\\]/)
      .some((part) => part === "." || part === "..");
  } catch {
    return true;
  }
}

/** Resource attributes from the path when there is no route. */
function attributesByForm(line: Line, path: ApiPath) {
  const { group, version, prefix, namespace, resource, subresource } = path;
  const byMethod = VERBS[line.method] ?? "";
  const ofMany = path.name === "" && prefix === "";
  const verb = prefix || (ofMany ? (ofCollection(byMethod, line.query) ?? byMethod) : byMethod);
  const selects = path.name === "" && (verb === "list" || verb === "watch");
  const name = selects ? selectedName(line.query) : path.name;
  return { verb, group, version, resource, subresource, namespace, name, hasVerbInPath: prefix !== "" };
}

function ofCollection(verb: string, query: URLSearchParams | undefined): string | undefined {
  if (verb === "get") return isWatch(query) ? "watch" : "list";
  return verb === "delete" ? "deletecollection" : undefined;
}

/** Returns the name when the field selector selects exactly one name. */
function selectedName(query: URLSearchParams | undefined): string {
  const selector = query?.get("fieldSelector");
  if (selector === null || selector === undefined || selector === "") return "";
  let name: string | undefined;
  try {
    name = requiredValue(parseFieldSelector(selector), "metadata.name");
  } catch {
    // The handler refuses an invalid selector.
  }
  return name === undefined || name === "." || name === ".." || /[/%]/.test(name) ? "" : name;
}

/** Source of options for requests without a query. */
export const NO_QUERY: URLSearchParams = Object.freeze(new URLSearchParams());
