// What a request asks for: read once, from its method and its target, before anything else. Everything after goes by this value alone,
// so that what is authorized, counted and logged is what is carried out. Source: facts, http.md "Request info" and "Routing".
import type { RemoteRegistration } from "@orch/extensions";
import { parseFieldSelector, queryBoolean, type ResourceDefinition, requiredValue } from "@orch/machinery";
import type { ObjectKey } from "@orch/registry";
import { partsOfTarget } from "../http/target-parts";
import {
  type ActionRoute,
  type ConnectRoute,
  partOf,
  type ResourceRoute,
  type ServedRoute,
  type VirtualRoute,
} from "../routes/resource-route";
import type { ResourceRoutes } from "../routes/resource-routes";
import { type ApiPath, endsThere, readApiPath } from "./api-path";

export type RequestInfo = UnreadableRequest | PathRequest | UnservedRequest | RemoteRequest | ServedRequest;

interface AnyRequest {
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  /** The query as sent, with its question mark; "" without one. */
  readonly search: string;
  /** Undefined without a query. */
  readonly query: URLSearchParams | undefined;
  /** Of a target that is a whole address: where it leads to. */
  readonly authority: string | undefined;
  /** As authorization knows it: get list watch create …, or the lower-case method of a path beside the resources. */
  readonly verb: string;
  /** Exempt from the time limit and from the limits of requests in flight. */
  readonly longRunning: boolean;
}

/** Its target makes no sense; it is answered with why. */
export interface UnreadableRequest extends AnyRequest {
  readonly kind: "unreadable";
  readonly why: string;
  readonly route: undefined;
}

/** For something beside the resources: by its path, to the letter. */
export interface PathRequest extends AnyRequest {
  readonly kind: "path";
  readonly route: undefined;
}

/** What of a resource is asked for, as authorization knows it. */
interface OfResource extends AnyRequest {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  /** Of lists and watches: that of the one object which they select by its name. */
  readonly name: string;
}

/** By its path for a resource, but nothing is there. Refused once it is known that its user may ask so much. */
export interface UnservedRequest extends OfResource {
  readonly kind: "unserved";
  readonly route: undefined;
  /** Methods that the path takes; undefined: it leads nowhere. */
  readonly allowed: readonly string[] | undefined;
}

/** Of a group version that an extension server answers for. */
export interface RemoteRequest extends OfResource {
  readonly kind: "remote";
  readonly route: undefined;
  readonly registration: RemoteRegistration;
}

export type ServedRequest = CollectionRequest | ItemRequest | ConnectionRequest | QuestionRequest | ActionRequest;

/** @template Route that leads to it: what is authorized of group, version, resource and sub-resource is the route's */
interface Served<Route extends ServedRoute> extends OfResource {
  readonly route: Route;
  /** Its namespace is "" where the resource has none, or all are meant. Its name is `name`. */
  readonly key: ObjectKey;
  /** What admission makes of the write is told, and nothing is written. */
  readonly explains: boolean;
}

/** For many objects of a resource, or for a new one. */
export interface CollectionRequest extends Served<ResourceRoute> {
  readonly kind: "collection";
  readonly verb: "list" | "watch" | "create" | "deletecollection";
  /** Of lists and watches of namespaces: those alone in which the user may do anything. */
  readonly accessibleOnly: boolean;
}

/** For one object, or a part of it. */
export interface ItemRequest extends Served<ResourceRoute> {
  readonly kind: "item";
  readonly verb: "get" | "watch" | "update" | "patch" | "delete";
}

/** To be passed on to where an object runs. */
export interface ConnectionRequest extends Served<ConnectRoute> {
  readonly kind: "connection";
  /** The path up to and with the connection's name, as sent. */
  readonly stem: string;
  /** What follows it, as sent, with its slash: the target's path. */
  readonly tail: string;
}

/** To be answered and forgotten. */
export interface QuestionRequest extends Served<VirtualRoute> {
  readonly kind: "question";
  readonly verb: "create";
}

/** To have something done to an object. */
export interface ActionRequest extends Served<ActionRoute> {
  readonly kind: "action";
  readonly verb: "create";
}

/**
 * @param method as in the request line
 * @param url the same
 */
export function readRequestInfo(method: string, url: string, routes: ResourceRoutes): RequestInfo {
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
      return { kind: "path", ...line, verb: method.toLowerCase(), longRunning: false, route: undefined };
    case "api":
      return readResource(line, reading.path, routes);
  }
}

type Line = Omit<AnyRequest, "verb" | "longRunning">;

/** A request that is refused before its target is looked at, or whose target makes no sense. */
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
): ServedRequest | UnservedRequest | RemoteRequest {
  const { group, version, resource, subresource } = path;
  const registration = routes.elsewhere?.(group, version);
  if (registration !== undefined) return remote(line, path, registration);
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

/** Whether the path has the form that the route's scope, and what it leads to, ask for. */
function leadsTo(path: ApiPath, route: ServedRoute): boolean {
  const { prefix, inNamespace, name, subresource } = path;
  const namespaced = route.definition.scope === "Namespaced";
  if (inNamespace ? !namespaced : namespaced && name !== "") return false;
  if (prefix === "proxy" || (prefix === "watch" && subresource !== "")) return false;
  return endsThere(path) || route.connection?.rules.takesPath === true;
}

type CollectionVerb = CollectionRequest["verb"];
type ItemVerb = ItemRequest["verb"] | "create";

/** What a method means at a path; undefined for one that it does not take. */
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
      // A watch has no answer that could be had without its body.
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
  route: ResourceRoute | VirtualRoute | ActionRoute,
  verb: CollectionVerb | ItemVerb,
): ServedRequest | UnservedRequest {
  const ofItem = path.name !== "";
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

/** What is authorized, and the object that it is done to, from one route and one path. All requests have one shape. */
function requestOf<Kind extends ServedRequest["kind"], Verb extends string, Route extends ServedRoute>(
  kind: Kind,
  verb: Verb,
  route: Route,
  { method, path: sent, search, query, authority }: Line,
  { namespace, stem, tail }: ApiPath,
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
    route,
    accessibleOnly: kind === "collection" && asksForAccessible(verb, definition, query),
    explains: kind !== "connection" && kind !== "question" && asksToExplain(verb, query),
    key: { namespace: definition.scope === "Cluster" ? "" : namespace, name },
    stem,
    tail,
  };
}

const asksToExplain = (verb: string, query: URLSearchParams | undefined) =>
  query !== undefined && EXPLAINED.has(verb) && query.get("admission") === "explain";

const EXPLAINED: ReadonlySet<string> = new Set(["create", "update", "patch", "delete", "deletecollection"]);

/** Others may have a parameter of this name that means something to nobody here. */
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

/** @param allowed methods; undefined: the path leads nowhere */
const unserved = (line: Line, path: ApiPath, allowed: readonly string[] | undefined): UnservedRequest => ({
  kind: "unserved",
  ...line,
  ...attributesByForm(line, path),
  longRunning: false,
  route: undefined,
  allowed,
});

/** Whoever answers may make another path of one that leads up and down; then something else was allowed than is done. */
function remote(line: Line, path: ApiPath, registration: RemoteRegistration): RemoteRequest | UnservedRequest {
  if (!path.isPlain || leadsUp(path.tail)) return unserved(line, path, undefined);
  const attributes = attributesByForm(line, path);
  const { verb, subresource } = attributes;
  const longRunning = verb === "watch" || verb === "proxy" || LONG_SUBRESOURCES.has(subresource);
  return { kind: "remote", ...line, ...attributes, longRunning, route: undefined, registration };
}

/** Source: facts, http.md "Limits". */
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

/** What is authorized where no route says it. */
function attributesByForm(line: Line, path: ApiPath) {
  const { group, version, prefix, namespace, resource, subresource } = path;
  const byMethod = VERBS[line.method] ?? "";
  const ofMany = path.name === "" && prefix === "";
  const verb = prefix || (ofMany ? (ofCollection(byMethod, line.query) ?? byMethod) : byMethod);
  const selects = path.name === "" && (verb === "list" || verb === "watch");
  const name = selects ? selectedName(line.query) : path.name;
  return { verb, group, version, resource, subresource, namespace, name };
}

function ofCollection(verb: string, query: URLSearchParams | undefined): string | undefined {
  if (verb === "get") return isWatch(query) ? "watch" : "list";
  return verb === "delete" ? "deletecollection" : undefined;
}

/** Who selects exactly one name speaks of that object, and of no other. */
function selectedName(query: URLSearchParams | undefined): string {
  const selector = query?.get("fieldSelector");
  if (selector === null || selector === undefined || selector === "") return "";
  let name: string | undefined;
  try {
    name = requiredValue(parseFieldSelector(selector), "metadata.name");
  } catch {
    // Whoever goes by the selector refuses it.
  }
  return name === undefined || name === "." || name === ".." || /[/%]/.test(name) ? "" : name;
}

/** Options are read from this where the request has no query. */
export const NO_QUERY: URLSearchParams = Object.freeze(new URLSearchParams());
