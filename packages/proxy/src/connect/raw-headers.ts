// Raw headers: lists of names and values, as they were written.

export type RawHeaders = readonly string[];

/** Headers that describe one connection and not the message. Source: RFC 9110, section 7.6.1. */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "proxy-connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * Returns the lower-case names listed in Connection headers, without those for body framing, which is always needed.
 */
export function connectionHeaders(raw: RawHeaders): ReadonlySet<string> {
  const values = pairs(raw).filter(([name]) => name.toLowerCase() === "connection");
  const named = values.flatMap(([, value]) => value.split(",").map((name) => name.trim().toLowerCase()));
  return new Set(named.filter((name) => name !== "content-length"));
}

export function pairs(raw: RawHeaders): readonly (readonly [name: string, value: string])[] {
  const found: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) found.push([raw[at] ?? "", raw[at + 1] ?? ""]);
  return found;
}
