// One step of a path in a field set, as written in managedFields: `f:<name>` is a field or map key, `k:{…}` the list
// item with these keys, `v:<json>` the item of a set, `i:<n>` an index. Source: the FieldsV1 type in
// staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/types.go.
import { isObject, JsonError, type JsonObject, type JsonValue, parseJson, writeJson } from "@orch/schema";
import { jsonStart } from "../json/json-text";
import { canonicalJson } from "../json/same-json";

export const fieldElement = (name: string): string => `f:${name}`;

export const valueElement = (value: JsonValue): string => `v:${elementJson(value)}`;

/** Returns the field name of an `f:` element; undefined for other elements. */
export const fieldName = (element: string): string | undefined =>
  element.startsWith("f:") ? element.slice(2) : undefined;

/** Serializes a value as in path elements: compact JSON with sorted members and HTML characters escaped. */
export function elementJson(value: JsonValue): string {
  if (typeof value === "string" && PLAIN.test(value)) return `"${value}"`;
  const json = canonicalJson(value);
  return ESCAPED.test(json) ? json.replaceAll(ESCAPED_EACH, (character) => `\\u${hex(character)}`) : json;
}

/**
 * Returns a received element in the canonical form that this server compares and writes.
 * @returns undefined for unknown kinds of elements
 * @throws SyntaxError for a text that is not a path element
 */
export function canonicalElement(text: string): string | undefined {
  if (text.length < 2 || text[1] !== ":")
    throw new SyntaxError(`${jsonStart(text, PATH_MAX_CHARACTERS)} is not a path element`);
  const kind = text[0];
  if (kind === "f") return text;
  if (kind !== "k" && kind !== "v" && kind !== "i") return undefined;
  let canonical = canonicals.get(text);
  if (canonical === undefined) {
    const value = parsedElement(text);
    if (!fits(kind, value)) throw new SyntaxError(`${jsonStart(text, PATH_MAX_CHARACTERS)} is not a path element`);
    canonical = `${kind}:${elementJson(value)}`;
    remember(canonicals, text, canonical);
  }
  return canonical;
}

/** Checks that keys are an object and that an index is an integer. */
const fits = (kind: "k" | "v" | "i", value: JsonValue): boolean =>
  kind === "v" || (kind === "k" ? isObject(value) : Number.isInteger(value));

/** Returns the parsed value of an element that is not a field. */
export function elementValue(element: string): JsonValue {
  let value = values.get(element);
  if (value === undefined) {
    value = parsedElement(element);
    remember(values, element, value);
  }
  return value;
}

/**
 * Maximum nesting of an element's value. Elements normally hold scalars or an object of scalars; the limit bounds the
 * recursion depth of the code that reads them.
 */
const DEPTH_MAX = 100;

function parsedElement(element: string): JsonValue {
  try {
    return parseJson(element.slice(2), { maxDepth: DEPTH_MAX }).value;
  } catch (error) {
    throw error instanceof JsonError ? new SyntaxError(error.message, { cause: error }) : error;
  }
}

const canonicals = new Map<string, string>();
const values = new Map<string, JsonValue>();

/** Caches a parsed element. The same elements recur with every write of an object and in all objects of a kind. */
function remember<Value>(known: Map<string, Value>, element: string, value: Value): void {
  if (element.length > KNOWN_LENGTH_MAX) return;
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(element, value);
}

const KNOWN_MAX = 10_000;
const KNOWN_LENGTH_MAX = 256;

/**
 * Renders an element as written in messages: `.name`, `[k1="v1",k2=2]`, `[="value"]`, `[3]`. An element that is too
 * long is cut to its unparsed end.
 */
export function elementText(element: string): string {
  if (element.length > PATH_MAX_CHARACTERS) return `…${element.slice(-PATH_MAX_CHARACTERS)}`;
  const rest = element.slice(2);
  switch (element[0]) {
    case "f":
      return `.${rest}`;
    case "k":
      return `[${Object.entries(elementValue(element) as JsonObject)
        .map(([name, value]) => `${name}=${writeJson(value)}`)
        .join(",")}]`;
    case "v":
      return `[=${writeJson(elementValue(element))}]`;
    default:
      return `[${rest}]`;
  }
}

const PLAIN = /^[\w./:-]*$/;
const ESCAPED = /[<>&\u2028\u2029]/;
const ESCAPED_EACH = /[<>&\u2028\u2029]/g;

const hex = (character: string): string => character.charCodeAt(0).toString(16).padStart(4, "0");

/**
 * Maximum length of a path in messages. A key may be as long as the body, and is part of the path of each field below
 * it: a long path is cut to its end, after `…`.
 */
const PATH_MAX_CHARACTERS = 2048;

export const shortenedPath = (path: string): string =>
  path.length <= PATH_MAX_CHARACTERS ? path : `…${path.slice(-PATH_MAX_CHARACTERS)}`;

/**
 * Joins steps into a path.
 * @param textOf renders a step with its prefix, such as `.spec` or `[0]`; called only for the steps that are shown
 */
export function joinedPath<Step>(steps: readonly Step[], textOf: (step: Step) => string): string {
  let path = "";
  for (let at = steps.length - 1; at >= 0 && path.length <= PATH_MAX_CHARACTERS; at--) {
    path = textOf(steps[at] as Step) + path;
  }
  return shortenedPath(path);
}
