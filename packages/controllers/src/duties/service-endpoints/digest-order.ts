// The order in which the field's managers write ports and subsets: by a digest of a text that tells the value with its types. Whoever keeps to
// another order writes all endpoints anew where one manager takes over from another.
import { createHash } from "node:crypto";

export function byDigest<Value>(text: (value: Value) => string): (one: Value, other: Value) => number {
  const digests = new Map<Value, string>();
  const digestOf = (value: Value): string => {
    const known = digests.get(value) ?? createHash("md5").update(text(value)).digest("hex");
    digests.set(value, known);
    return known;
  };
  return (one, other) => compare(digestOf(one), digestOf(other));
}

/** Of what may be missing. */
export const pointer = (type: string, text: string | undefined): string => `(*${type})${text ?? "<nil>"}`;

export const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
