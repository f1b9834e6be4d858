// JSON pointers. Source: RFC 6901.
import { DEPTH_MAX } from "./json-depth";

/** Steps from the document's root; empty for the document itself. */
export type JsonPointer = readonly string[];

/**
 * Parses a JSON pointer.
 * @returns undefined for an invalid pointer
 */
export function parseJsonPointer(text: string): JsonPointer | undefined {
  if (text === "") return [];
  if (!text.startsWith("/") || WRONG_ESCAPE.test(text)) return undefined;
  return text
    .slice(1)
    .split("/", STEPS_MAX)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Maximum number of steps that are parsed. No document is that deep, so the truncated pointer cannot match either. */
const STEPS_MAX = 2 * DEPTH_MAX;
const WRONG_ESCAPE = /~(?![01])/;

/** Reports whether `inner` equals `outer` or lies inside it. */
export function isWithin(inner: JsonPointer, outer: JsonPointer): boolean {
  return inner.length >= outer.length && outer.every((step, index) => step === inner[index]);
}

/**
 * Parses a list index: decimal digits without a leading zero, or, as an extension by Kubernetes to RFC 6901, a negative
 * number that counts from the end, where -1 is the last item.
 * @returns undefined when the step is not an index in 0..length-1
 */
export function listPosition(step: string, length: number): number | undefined {
  if (!POSITION.test(step)) return undefined;
  const position = step.startsWith("-") ? length + Number(step) : Number(step);
  return 0 <= position && position < length ? position : undefined;
}

const POSITION = /^(0|-?[1-9]\d*)$/;
