// Parses one YAML document into a JSON value: request bodies, configuration files, client configurations. The value
// equals that of kubernetes-sigs/yaml, which the programs of Kubernetes use. The library is loaded with the first text.
import type { Event } from "js-yaml";
import { DEPTH_MAX as JSON_DEPTH_MAX } from "../json/exact-json";
import { copyJson, type JsonValue } from "../json/json-value";
import { firstDocument } from "./first-document";
import { type ComposedYaml, TOO_LARGE_RESOLVED, YamlComposer, type YamlProblem } from "./yaml-composer";
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
  const most = mostOf(text);
  const composer = new YamlComposer({
    text,
    scalars: new YamlScalars(text, yaml),
    ids: yaml.EVENT_ID,
    valuesMax,
    mergedMax: most.values,
  });
  const { value, problems, isShared } = composer.compose(eventsOf(text, yaml, isOwn ? OWN_DEPTH_MAX : DEPTH_MAX));
  if (isShared) extentOf(value, most, new Map());
  const found = problems.length === 0 ? NO_PROBLEMS : withLines(text, problems);
  return {
    value: isShared ? copyJson(value) : value,
    problems: furtherAt === undefined ? found : [...found, { kind: "furtherDocument", path: "", offset: furtherAt }],
  };
}

const NO_PROBLEMS: readonly YamlProblem[] = [];

function withLines(text: string, problems: ComposedYaml["problems"]): readonly YamlProblem[] {
  const offsets = problems.map(({ valueOffset }) => valueOffset).sort((one, other) => one - other);
  const lines = new Map<number, number>();
  let [line, from] = [1, 0];
  for (const offset of offsets) {
    line += yamlPlace(text.slice(from, offset), offset - from).line - 1;
    from = offset;
    lines.set(offset, line);
  }
  return problems.map(({ kind, path, key, offset, valueOffset }) => ({
    kind,
    path,
    offset,
    repeated: { key, line: lines.get(valueOffset) as number },
  }));
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

/** Size of a value after the aliases are resolved. */
interface Extent {
  /** Approximate length in JSON. */
  readonly characters: number;
  readonly values: number;
}

const RESOLVED_DEPTH_MAX = 1000;

/**
 * Returns the maximum extent of a text after its aliases and merge keys are resolved. It grows with the text, because
 * short texts are parsed on the event loop.
 */
const mostOf = ({ length }: string): Extent => ({
  characters: Math.min(16 * 1024 * 1024, 64 * 1024 + 16 * length),
  values: Math.min(VALUES_MAX, Math.max(2500, length)),
});

/**
 * Returns the extent of a value. Shared values are examined once.
 * @throws YamlError for a value that is too large without aliases
 */
function extentOf(value: JsonValue, most: Extent, known: Map<object, Extent>, depth = 0): Extent {
  if (typeof value === "string") return { characters: value.length, values: 1 };
  if (typeof value !== "object" || value === null) return ONE;
  if (depth > RESOLVED_DEPTH_MAX) throw new YamlError("aliases are nested too deep");
  const before = known.get(value);
  if (before !== undefined) return before;
  let [characters, values] = [2, 1];
  for (const [key, item] of Object.entries(value)) {
    const inside = extentOf(item, most, known, depth + 1);
    characters += key.length + 2 + inside.characters;
    values += inside.values;
  }
  if (characters > most.characters || values > most.values) throw new YamlError(TOO_LARGE_RESOLVED);
  const extent = { characters, values };
  known.set(value, extent);
  return extent;
}

const ONE: Extent = { characters: 1, values: 1 };
