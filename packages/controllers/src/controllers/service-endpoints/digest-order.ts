// Order of ports and subsets by a digest of a text with value and types, as kube-controller-manager writes them. With
// another order, all endpoints would be rewritten when one controller manager replaces the other.
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

/** Returns the text of an optional value. */
export const pointer = (type: string, text: string | undefined): string => `(*${type})${text ?? "<nil>"}`;

export const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
