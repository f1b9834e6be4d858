// Who asks, as extension servers are told it by the server that stands before them, and trusts nobody else to tell.
// Source: facts, apiserver-hooks.md "Request routing and headers"; access-control, "Authenticating proxy flags".
import { internalError, survivesHeaders, type UserInfo } from "@orch/machinery";

const USER = "X-Remote-User";
const UID = "X-Remote-Uid";
const GROUP = "X-Remote-Group";
const EXTRA = "X-Remote-Extra-";

/**
 * Names and values in turn.
 * @throws StatusError InternalError (500) for a user of whom a header would tell something else
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

/** Bytes of UTF-8, each as a character: that is how the run time writes headers. Spaces around a value are lost on the way. */
function written(value: string): string {
  if (!survivesHeaders(value)) throw internalError("the requester's identity cannot be told to an extension server");
  return Buffer.from(value, "utf8").toString("latin1");
}

/** Characters that the name of a header may have, but for the percent sign. Source: RFC 9110, 5.6.2. */
const escapedKey = (key: string): string =>
  [...Buffer.from(key, "utf8")]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[!#$&'*+.^_`|~0-9A-Za-z-]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");

/** Of a header by which somebody says who asks: also where it is written as some servers read it too. */
export function isIdentityHeader(name: string, trusted: TrustedHeaders): boolean {
  const plain = plainHeaderName(name);
  return OWN.test(plain) || trusted.names.has(plain) || trusted.prefixes.some((prefix) => plain.startsWith(prefix));
}

const OWN = /^x-remote-(?:user|uid|group|extra-.*)$/;

/** Many servers cannot tell a header's underscores from its hyphens. */
export const plainHeaderName = (name: string): string => name.toLowerCase().replaceAll("_", "-");

/** Further headers that extension servers are told to trust; as `plainHeaderName` has them. */
export interface TrustedHeaders {
  readonly names: ReadonlySet<string>;
  readonly prefixes: readonly string[];
}
