// Bodies in YAML. The library is loaded by the first body that needs it.
import { copyJson } from "@orch/machinery";
import type { DecodeProblem, JsonValue } from "@orch/schema";
import type { Event } from "js-yaml";
import { YamlComposer } from "./yaml-composer";
import { YamlScalars } from "./yaml-scalars";

export interface ParsedYaml {
  readonly value: JsonValue;
  readonly problems: readonly DecodeProblem[];
}

/**
 * Words such as `yes` and `0777` mean what they do in version 1.1. Of keys that a mapping has twice the last one counts.
 * @throws Error for what is no YAML
 */
export async function parseYaml(body: Buffer): Promise<ParsedYaml> {
  const yaml = require("js-yaml") as typeof import("js-yaml");
  const text = body.toString();
  const composer = new YamlComposer(text, new YamlScalars(text, yaml), yaml.EVENT_ID);
  const { value, problems, isShared } = composer.compose(eventsOf(text, yaml));
  if (!isShared) return { value, problems };
  lengthOf(value, new Map());
  return { value: copyJson(value), problems };
}

/** Collections inside one another. What reads them calls itself for each, several functions deep. */
const DEPTH_MAX = 250;
/** Characters of a message, which may repeat what was sent. */
const MESSAGE_MAX = 300;

function eventsOf(text: string, { parseEvents, YAMLException }: typeof import("js-yaml")): readonly Event[] {
  try {
    return parseEvents(text, { maxDepth: DEPTH_MAX });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { reason, mark } = error;
    if (reason.startsWith("nesting exceeded")) throw new Error(`nested deeper than ${DEPTH_MAX} levels`);
    const where = mark === undefined ? "" : ` at line ${mark.line + 1}, column ${mark.column + 1}`;
    throw new Error(`${reason.slice(0, MESSAGE_MAX)}${where}`);
  }
}

/** Characters of JSON, roughly, into which aliases may unfold. */
const LENGTH_MAX = 16 * 1024 * 1024;
const RESOLVED_DEPTH_MAX = 1000;

/**
 * How long the text of a value is, roughly. What aliases stand for is there once, and is looked at once.
 * @throws Error for what is too large to be spelt out
 */
function lengthOf(value: JsonValue, known: Map<object, number>, depth = 0): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 1;
  if (depth > RESOLVED_DEPTH_MAX) throw new Error("aliases are nested too deep");
  let length = known.get(value);
  if (length === undefined) {
    length = 2;
    for (const [key, item] of Object.entries(value)) length += key.length + 2 + lengthOf(item, known, depth + 1);
    if (length > LENGTH_MAX) throw new Error("it is too large once its aliases are resolved");
    known.set(value, length);
  }
  return length;
}
