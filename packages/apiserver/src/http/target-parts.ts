// What a request line points at, in the forms that HTTP has for it. Source: RFC 9112, 3.2; RFC 9113, 8.3.1.

export interface TargetParts {
  /** As sent, percent-encoded: everything before the query. */
  readonly path: string;
  /** As sent, with its question mark; "" without a query. */
  readonly search: string;
  /** Host and port of a target that is a whole address, which then count instead of the Host header; undefined for all others. */
  readonly authority: string | undefined;
}

/** @param url as in the request line @returns a sentence on what is wrong with it, for one that cannot be read */
export function partsOfTarget(method: string, url: string): TargetParts | string {
  if (NOT_IN_TARGETS.test(url)) return "the target of the request holds characters that are not allowed in it";
  if (url.charCodeAt(0) === SLASH) return split(url, undefined);
  if (url === "*" && method === "OPTIONS") return { path: url, search: "", authority: undefined };
  const [whole, authority] = ABSOLUTE.exec(url) ?? [];
  if (whole === undefined || authority === undefined) return "the target of the request is no path";
  const rest = url.slice(whole.length);
  return split(rest.charCodeAt(0) === SLASH ? rest : `/${rest}`, authority);
}

const SLASH = 0x2f;
/** Spaces and control characters, which HTTP/2 could carry; and the sign that begins a fragment, which is never sent. */
const NOT_IN_TARGETS = /[^\x21\x22\x24-\x7e\x80-\xff]/;
const ABSOLUTE = /^https?:\/\/([^/?@]+)(?=[/?]|$)/i;

function split(url: string, authority: string | undefined): TargetParts {
  const mark = url.indexOf("?");
  return mark < 0
    ? { path: url, search: "", authority }
    : { path: url.slice(0, mark), search: url.slice(mark), authority };
}
