// Request headers that carry the user's identity to aggregated API servers. The front proxy sets them; the values of
// clients are removed.
// Source: Kubernetes documentation, "Configure the Aggregation Layer".
import { internalError, survivesHeaders, type UserInfo } from "@orch/machinery";

const USER = "X-Remote-User";
const UID = "X-Remote-Uid";
const GROUP = "X-Remote-Group";
const EXTRA = "X-Remote-Extra-";

/**
 * Returns names and values, alternating.
 * @throws StatusError InternalError (500) for a user whose identity a header cannot carry unchanged
 */
export function identityHeaders({ name, uid = "", groups, extra = {} }: UserInfo): string[] {
  const headers = [USER, written(name)];
  if (uid !== "") headers.push(UID, written(uid));
  for (const group of groups) headers.push(GROUP, written(group));
  for (const [key, values] of Object.entries(extra)) {
    for (const value of values) headers.push(EXTRA + escapedKey(key), written(value));
  }
  return headers;
}

/**
 * Encodes UTF-8 bytes as one character each, the form in which Node.js writes headers. Leading and trailing spaces are
 * lost in transit.
 */
function written(value: string): string {
  if (!survivesHeaders(value))
    throw internalError("the user's identity cannot be represented in headers for the aggregated API server");
  return Buffer.from(value, "utf8").toString("latin1");
}

/**
 * Percent-encodes bytes that are not allowed in a header name, and the percent sign. Source: RFC 9110, section 5.6.2.
 */
const escapedKey = (key: string): string =>
  [...Buffer.from(key, "utf8")]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[!#$&'*+.^_`|~0-9A-Za-z-]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");

/** Reports whether a header carries an identity, also in spellings that some servers treat as equal. */
export function isIdentityHeader(name: string, trusted: TrustedHeaders): boolean {
  const plain = plainHeaderName(name);
  return OWN.test(plain) || trusted.names.has(plain) || trusted.prefixes.some((prefix) => plain.startsWith(prefix));
}

const OWN = /^x-remote-(?:user|uid|group|extra-.*)$/;

/** Lowercases a header name and replaces underscores: many servers do not distinguish them from hyphens. */
export const plainHeaderName = (name: string): string => name.toLowerCase().replaceAll("_", "-");

/** Further trusted headers of aggregated API servers, normalized by `plainHeaderName`. */
export interface TrustedHeaders {
  readonly names: ReadonlySet<string>;
  readonly prefixes: readonly string[];
}
