// What a request asks for, read from its method and path alone. Hand-written: it runs for every request before anything else.
// Source: facts, http.md "Request info".

export interface RequestInfo {
  readonly isResource: boolean;
  /** Without the query; percent-decoding is done per part. */
  readonly path: string;
  /** Undefined without a query. */
  readonly query: URLSearchParams | undefined;
  /** get list watch create update patch delete deletecollection, or the lower-case method of a non-resource path. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** The path after the sub-resource, with its slash; "" without one. */
  readonly tail: string;
  /** Exempt from the time limit and from the limits of requests in flight. */
  readonly longRunning: boolean;
  /** Set when the path or query cannot be read; the request is answered with it. */
  readonly failure: string | undefined;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

const LONG_RUNNING_SUBRESOURCES = new Set(["attach", "exec", "proxy", "log", "portforward"]);
/** Parts after a namespace's name that belong to the namespace itself. */
const NAMESPACE_SUBRESOURCES = new Set(["status", "finalize"]);

/**
 * @param method upper case
 * @param url as in the request line
 */
export function parseRequestInfo(method: string, url: string): RequestInfo {
  const mark = url.indexOf("?");
  const path = mark < 0 ? url : url.slice(0, mark);
  const info: Writable<RequestInfo> = {
    isResource: false,
    path,
    query: mark < 0 || mark === url.length - 1 ? undefined : new URLSearchParams(url.slice(mark + 1)),
    verb: method.toLowerCase(),
    group: "",
    version: "",
    namespace: "",
    resource: "",
    subresource: "",
    name: "",
    tail: "",
    longRunning: path.startsWith("/debug/pprof/"),
    failure: undefined,
  };
  const parts = partsOf(path);
  if (parts === undefined) {
    info.failure = `the path ${JSON.stringify(path.slice(0, 200))} is not percent-encoded UTF-8`;
    return info;
  }
  const prefix = parts[0];
  if (parts.length < 3 || (prefix !== "api" && prefix !== "apis")) return info;
  if (prefix === "apis" && parts.length < 4) return info;
  readResource(info, method, parts, prefix === "api" ? 1 : 2);
  return info;
}

function readResource(info: Writable<RequestInfo>, method: string, parts: readonly string[], versionAt: number): void {
  if (versionAt === 2) info.group = parts[1] ?? "";
  info.version = parts[versionAt] ?? "";
  info.isResource = true;
  info.verb = verbOf(method);

  let at = versionAt + 1;
  const special = parts[at];
  if (special === "watch" || special === "proxy") {
    info.verb = special;
    at += 1;
    if (at >= parts.length) {
      info.failure = `unable to determine kind and namespace from url, ${info.path}`;
      return;
    }
  }
  if (parts[at] === "namespaces" && at + 1 < parts.length) {
    info.namespace = parts[at + 1] ?? "";
    const further = parts[at + 2];
    if (further !== undefined && !NAMESPACE_SUBRESOURCES.has(further)) at += 2;
  }
  info.resource = parts[at] ?? "";
  info.name = parts[at + 1] ?? "";
  if (info.verb !== "proxy" && at + 2 < parts.length) {
    info.subresource = parts[at + 2] ?? "";
    if (at + 3 < parts.length) info.tail = `/${parts.slice(at + 3).join("/")}`;
  }
  if (info.name === "") readCollectionVerb(info);
  info.longRunning = info.verb === "watch" || info.verb === "proxy" || LONG_RUNNING_SUBRESOURCES.has(info.subresource);
}

/** GET and DELETE without a name speak of the collection; a selector of exactly one name speaks of that object to authorization. */
function readCollectionVerb(info: Writable<RequestInfo>): void {
  if (info.verb === "delete") {
    info.verb = "deletecollection";
    return;
  }
  if (info.verb === "get") info.verb = isTrue(info.query, "watch") ? "watch" : "list";
  if (info.verb === "list" || info.verb === "watch") info.name = selectedName(info.query);
}

function verbOf(method: string): string {
  switch (method) {
    case "POST":
      return "create";
    case "GET":
    case "HEAD":
      return "get";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return "delete";
    default:
      return "";
  }
}

/** Any value counts as true except `0` and `false` in any case; so does a key without a value. */
export function isTrue(query: URLSearchParams | undefined, key: string): boolean {
  const value = query?.get(key);
  if (value === null || value === undefined) return false;
  return value !== "0" && value.toLowerCase() !== "false";
}

function selectedName(query: URLSearchParams | undefined): string {
  const selector = query?.get("fieldSelector");
  if (selector === null || selector === undefined) return "";
  const found = /(?:^|,)metadata\.name==?([^,=\\!]+)(?:,|$)/.exec(selector);
  const name = found?.[1] ?? "";
  return name === "." || name === ".." || /[/%]/.test(name) ? "" : name;
}

/** The parts between slashes, decoded, without the empty ones at both ends; undefined when the encoding is broken. */
function partsOf(path: string): string[] | undefined {
  let start = 0;
  let end = path.length;
  while (start < end && path.charCodeAt(start) === 47) start += 1;
  while (end > start && path.charCodeAt(end - 1) === 47) end -= 1;
  if (start === end) return [];
  const parts = path.slice(start, end).split("/");
  if (!path.includes("%")) return parts;
  try {
    return parts.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
