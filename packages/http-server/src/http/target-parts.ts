// Parses the target of a request line in the forms that HTTP allows. Source: RFC 9112, section 3.2; RFC 9113, section
// 8.3.1.

export interface TargetParts {
  /** Part before the query, percent-encoded as sent. */
  readonly path: string;
  /** Query as sent, with its question mark; "" for none. */
  readonly search: string;
  /** Host and port of an absolute-form target, which replace the Host header; undefined for other forms. */
  readonly authority: string | undefined;
}

/** @param url target of the request line @returns an error message for an invalid target */
export function partsOfTarget(method: string, url: string): TargetParts | string {
  if (NOT_IN_TARGETS.test(url)) return "the request target contains characters that are not allowed";
  if (url.charCodeAt(0) === SLASH) return split(url, undefined);
  if (url === "*" && method === "OPTIONS") return { path: url, search: "", authority: undefined };
  const [whole, authority] = ABSOLUTE.exec(url) ?? [];
  if (whole === undefined || authority === undefined) return "the request target is not a path";
  const rest = url.slice(whole.length);
  return split(rest.charCodeAt(0) === SLASH ? rest : `/${rest}`, authority);
}

const SLASH = 0x2f;
/** Spaces and control characters, which HTTP/2 could carry, and the number sign: fragments are never sent. */
const NOT_IN_TARGETS = /[^\x21\x22\x24-\x7e\x80-\xff]/;
const ABSOLUTE = /^https?:\/\/([^/?@]+)(?=[/?]|$)/i;

function split(url: string, authority: string | undefined): TargetParts {
  const mark = url.indexOf("?");
  return mark < 0
    ? { path: url, search: "", authority }
    : { path: url.slice(0, mark), search: url.slice(mark), authority };
}
