// What a client tells those who count of its requests. Source: facts, metrics.json "rest_client_…".

export interface RequestPlace {
  readonly method: string;
  /** Of the server, with its port. */
  readonly host: string;
  /** The address, with `{namespace}` and `{name}` in place of what they are, and without a query. */
  readonly url: string;
}

export interface ClientMetrics {
  /** A try was answered, or failed. @param code of the answer; `<error>` where there was none */
  tried(place: RequestPlace, code: string, seconds: number): void;
  /** The client's own rate limit held a try back. */
  heldBack(place: RequestPlace, seconds: number): void;
}

export const NO_ANSWER = "<error>";

/** @param path below the server's URL, with its query */
export function placeOf(origin: URL, method: string, path: string): RequestPlace {
  const [bare = ""] = path.split("?", 1);
  return { method, host: origin.host, url: `${origin.protocol}//${origin.host}${template(bare)}` };
}

function template(path: string): string {
  const parts = path.split("/");
  // "", "api", version or "", "apis", group, version; what follows names things
  let at = parts[1] === "api" ? 3 : parts[1] === "apis" ? 4 : parts.length;
  if (parts[at] === "namespaces" && at + 1 < parts.length) {
    const isNamespaceItself = at + 2 >= parts.length;
    parts[at + 1] = isNamespaceItself ? "{name}" : "{namespace}";
    if (isNamespaceItself) return parts.join("/");
    at += 2;
  }
  if (at + 1 < parts.length) parts[at + 1] = "{name}";
  return parts.join("/");
}
