// Table row of an object.
import type { ResourceDefinition } from "@orch/machinery";
import { type JsonObject, type JsonValue, loadSchema, vocabularyOf } from "@orch/schema";
import { builtInResources, virtualResources } from "../definitions/definitions";

const vocabulary = vocabularyOf("orch");
const schema = loadSchema(vocabulary);

/** Time of the rows. Objects were created one hour earlier unless they say otherwise. */
const NOW = "2024-05-01T12:00:00Z";
const CREATED = "2024-05-01T11:00:00Z";

export function definitionsAt(release: string): readonly ResourceDefinition[] {
  return [...builtInResources(vocabulary, schema, { release }), ...virtualResources(vocabulary, schema, { release })];
}

const definitions = definitionsAt("1.23");

/** Returns the cells keyed by column name. */
export function rowOf(kind: string, object: JsonObject): Readonly<Record<string, JsonValue>> {
  const columns = definitions.find((each) => each.kind === kind)?.columns ?? [];
  const metadata = { name: "it", creationTimestamp: CREATED, ...(object["metadata"] as JsonObject) };
  const at = { nowMs: Date.parse(NOW) };
  const whole = { ...object, metadata };
  return Object.fromEntries(columns.map(({ name, cell }) => [name, cell(whole, at)]));
}
