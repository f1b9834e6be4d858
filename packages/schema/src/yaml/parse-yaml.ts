// Parses one YAML document into a JSON value: request bodies, files of configuration, client configurations. A value is the one that
// kubernetes-sigs/yaml makes of the same text, by which the programs of Kubernetes read YAML. The library is loaded by the first text.
import type { Event } from "js-yaml";
import { copyJson } from "../copy-json";
import type { JsonValue } from "../json";
import { firstDocument } from "./first-document";
import { YamlComposer, type YamlProblem } from "./yaml-composer";
import { YamlError, yamlPlace } from "./yaml-error";
import { YamlScalars } from "./yaml-scalars";

export interface ParsedYaml {
  readonly value: JsonValue;
  readonly problems: readonly YamlProblem[];
}

/**
 * Reads the first document of a text. The last of several equal keys counts.
 * @param input UTF-8 bytes, or text
 * @throws YamlError
 */
export function parseYaml(input: string | Buffer): ParsedYaml {
  const yaml = require("js-yaml") as typeof import("js-yaml");
  const { text, furtherAt } = firstDocument(typeof input === "string" ? input : input.toString());
  const composer = new YamlComposer(text, new YamlScalars(text, yaml), yaml.EVENT_ID);
  const { value, problems, isShared } = composer.compose(eventsOf(text, yaml));
  if (isShared) lengthOf(value, new Map());
  return {
    value: isShared ? copyJson(value) : value,
    problems:
      furtherAt === undefined ? problems : [...problems, { kind: "furtherDocument", path: "", offset: furtherAt }],
  };
}

/** Maximum number of collections inside one another: readers of the value call themselves for each, several functions deep. */
const DEPTH_MAX = 250;

function eventsOf(text: string, { parseEvents, YAMLException }: typeof import("js-yaml")): readonly Event[] {
  try {
    return parseEvents(text, { maxDepth: DEPTH_MAX });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { reason, mark } = error;
    const place = mark === undefined ? undefined : yamlPlace(text, mark.position);
    if (reason.startsWith("nesting exceeded")) throw new YamlError(`nested deeper than ${DEPTH_MAX} levels`, place);
    // What stands behind a colon or between quotes is of the text.
    throw new YamlError(reason.replace(/: .*$|"[^"]*"/s, "").trim(), place);
  }
}

/** Maximum number of characters of JSON, roughly, into which aliases may unfold. */
const LENGTH_MAX = 16 * 1024 * 1024;
const RESOLVED_DEPTH_MAX = 1000;

/**
 * Returns the length of a value as text, roughly. A value that several aliases stand for is looked at once.
 * @throws YamlError for a value that is too large to be spelt out
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
