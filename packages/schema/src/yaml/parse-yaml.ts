// Parses one YAML document into a JSON value: request bodies, configuration files, client configurations. The value
// equals that of kubernetes-sigs/yaml, which the programs of Kubernetes use. The library is loaded with the first text.
import type { Event } from "js-yaml";
import { copyJson } from "../copy-json";
import { DEPTH_MAX as JSON_DEPTH_MAX } from "../exact-json";
import type { JsonValue } from "../json";
import { firstDocument } from "./first-document";
import { YamlComposer, type YamlProblem } from "./yaml-composer";
import { YamlError, yamlPlace } from "./yaml-error";
import { YamlScalars } from "./yaml-scalars";

export interface ParsedYaml {
  readonly value: JsonValue;
  readonly problems: readonly YamlProblem[];
}

export interface ParseYamlOptions {
  /**
   * Whether this server wrote the text: then the number of values is not limited, and the nesting only by the limit of
   * JSON. Default: false.
   */
  readonly isOwn?: boolean;
}

/**
 * Reads the first document of a text. The last of several equal keys counts.
 * @param input UTF-8 bytes, or text
 * @throws YamlError
 */
export function parseYaml(input: string | Buffer, { isOwn = false }: ParseYamlOptions = {}): ParsedYaml {
  const yaml = require("js-yaml") as typeof import("js-yaml");
  const { text, furtherAt } = firstDocument(typeof input === "string" ? input : input.toString());
  const valuesMax = isOwn ? Number.POSITIVE_INFINITY : VALUES_MAX;
  const composer = new YamlComposer({ text, scalars: new YamlScalars(text, yaml), ids: yaml.EVENT_ID, valuesMax });
  const { value, problems, isShared } = composer.compose(eventsOf(text, yaml, isOwn ? OWN_DEPTH_MAX : DEPTH_MAX));
  if (isShared) lengthOf(value, new Map());
  return {
    value: isShared ? copyJson(value) : value,
    problems:
      furtherAt === undefined ? problems : [...problems, { kind: "furtherDocument", path: "", offset: furtherAt }],
  };
}

/** Maximum nesting. Recursive readers of the value use several stack frames per level. */
const DEPTH_MAX = 250;
/** Maximum nesting of a text of this server: that of JSON, and the document itself. */
const OWN_DEPTH_MAX = JSON_DEPTH_MAX + 1;
/** Maximum number of values, ten times as many as a large object has. */
const VALUES_MAX = 300_000;

function eventsOf(
  text: string,
  { parseEvents, YAMLException }: typeof import("js-yaml"),
  maxDepth: number,
): readonly Event[] {
  try {
    return parseEvents(text, { maxDepth });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { reason, mark } = error;
    const place = mark === undefined ? undefined : yamlPlace(text, mark.position);
    if (reason.startsWith("nesting exceeded")) throw new YamlError(`nested deeper than ${maxDepth} levels`, place);
    // The part after a colon or between quotes is from the text.
    throw new YamlError(reason.replace(/: .*$|"[^"]*"/s, "").trim(), place);
  }
}

/** Maximum approximate length in JSON after the aliases are resolved. */
const LENGTH_MAX = 16 * 1024 * 1024;
const RESOLVED_DEPTH_MAX = 1000;

/**
 * Returns the approximate length of a value as text. Shared values are examined once.
 * @throws YamlError for a value that is too large without aliases
 */
function lengthOf(value: JsonValue, known: Map<object, number>, depth = 0): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 1;
  if (depth > RESOLVED_DEPTH_MAX) throw new YamlError("aliases are nested too deep");
  let length = known.get(value);
  if (length === undefined) {
    length = 2;
    for (const [key, item] of Object.entries(value)) length += key.length + 2 + lengthOf(item, known, depth + 1);
    if (length > LENGTH_MAX) throw new YamlError("it is too large once its aliases are resolved");
    known.set(value, length);
  }
  return length;
}
