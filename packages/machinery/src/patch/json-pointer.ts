// A place in a JSON document. Source: RFC 6901.
import { DEPTH_MAX } from "./json-depth";

/** The steps from the document's root; none is the document itself. */
export type JsonPointer = readonly string[];

/** @returns undefined for a text that is no pointer */
export function parseJsonPointer(text: string): JsonPointer | undefined {
  if (text === "") return [];
  if (!text.startsWith("/") || WRONG_ESCAPE.test(text)) return undefined;
  return text
    .slice(1)
    .split("/", STEPS_MAX)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** No document is that deep: whatever comes after leads nowhere, as what comes before does. */
const STEPS_MAX = 2 * DEPTH_MAX;
const WRONG_ESCAPE = /~(?![01])/;

/** Whether `inner` is `outer` or lies inside it. */
export function isWithin(inner: JsonPointer, outer: JsonPointer): boolean {
  return inner.length >= outer.length && outer.every((step, index) => step === inner[index]);
}

/**
 * The position that a step names in a list: decimal digits without a leading zero, or with a minus sign a count from the end, as
 * Kubernetes has it beyond RFC 6901: -1 is the last one.
 * @returns undefined for a step that names none in 0..length-1
 */
export function listPosition(step: string, length: number): number | undefined {
  if (!POSITION.test(step)) return undefined;
  const position = step.startsWith("-") ? length + Number(step) : Number(step);
  return 0 <= position && position < length ? position : undefined;
}

const POSITION = /^(0|-?[1-9]\d*)$/;
