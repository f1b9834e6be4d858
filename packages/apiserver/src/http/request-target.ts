// The target in a request line, in each form that it may have: the rest of the server knows paths alone.
// Source: RFC 9112, 3.2; RFC 9113, 8.3.1.

export type RequestTarget =
  /** A path with its query. */
  | { readonly kind: "path"; readonly url: string }
  /** The same with the host in front, which counts instead of what the Host header says. */
  | { readonly kind: "absolute"; readonly url: string; readonly host: string }
  /** The server as a whole; only OPTIONS can ask it something. */
  | { readonly kind: "server" }
  | { readonly kind: "unreadable"; readonly why: string };

/** What may stand before a path: a name or an address, and a port. No user: that is how one host is made to look like another. */
const ABSOLUTE = /^https?:\/\/((?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d*)?)([/?].*)?$/is;

export function parseTarget(method: string, target: string): RequestTarget {
  if (target.startsWith("/")) return { kind: "path", url: target };
  if (target === "*" && method === "OPTIONS") return { kind: "server" };
  const [, host, rest = "/"] = ABSOLUTE.exec(target) ?? [];
  if (host === undefined) {
    return {
      kind: "unreadable",
      why: `the target ${JSON.stringify(target.slice(0, 200))} is neither a path nor a URL of HTTP`,
    };
  }
  return { kind: "absolute", host, url: rest.startsWith("?") ? `/${rest}` : rest };
}
