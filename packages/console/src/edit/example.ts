// A new object with the fields that its schema requires.
import { isRecord } from "../values/api-object";
import { resolved, type Schema, type Schemas } from "./schema-fields";

interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string | undefined;
}

/** Levels below the root that are filled. */
const DEEPEST = 8;
/** Fields of the root that a user does not write. */
const LEFT_OUT = new Set(["apiVersion", "kind", "metadata", "status"]);

/** Returns the identity, and what the schema requires or gives as an example. */
export function exampleOf(schemas: Schemas, root: Schema, identity: Identity): Readonly<Record<string, unknown>> {
  const { apiVersion, kind, namespace } = identity;
  const metadata = { name: "example", ...(namespace ? { namespace } : {}) };
  const schema = resolved(schemas, root);
  const { properties } = schema;
  const fields: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(isRecord(properties) ? properties : {})) {
    if (LEFT_OUT.has(name)) continue;
    if (name === "spec" || name === "data" || requiredOf(schema).has(name))
      fields[name] = valueFor(schemas, property, 0);
  }
  const given = isRecord(schema["example"]) ? schema["example"] : {};
  return { apiVersion, kind, metadata, ...fields, ...withoutIdentity(given) };
}

function valueFor(schemas: Schemas, property: unknown, depth: number): unknown {
  const schema = resolved(schemas, property);
  const { type, default: preset, example, enum: values, items, properties } = schema;
  if (example !== undefined) return example;
  if (preset !== undefined && !(isRecord(preset) && isRecord(properties))) return preset;
  if (Array.isArray(values)) return values[0];
  if (type === "array") return depth < DEEPEST && items !== undefined ? [valueFor(schemas, items, depth + 1)] : [];
  if (type === "boolean") return false;
  if (type === "integer" || type === "number") return typeof schema["minimum"] === "number" ? schema["minimum"] : 0;
  if (type === "string") return "";
  const result: Record<string, unknown> = {};
  if (isRecord(properties) && depth < DEEPEST)
    for (const name of new Set([...requiredOf(schema), "spec"])) {
      const inner = properties[name];
      if (inner !== undefined) result[name] = valueFor(schemas, inner, depth + 1);
    }
  return result;
}

const requiredOf = ({ required }: Schema): ReadonlySet<string> => new Set(Array.isArray(required) ? required : []);

function withoutIdentity(example: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(example).filter(([name]) => !LEFT_OUT.has(name)));
}
