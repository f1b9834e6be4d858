// Fields of a kind as its OpenAPI schema describes them.
import { isRecord } from "../values/api-object";
import type { Step } from "../values/field-path";

export type Schema = Readonly<Record<string, unknown>>;
/** Schemas of one document, by name. */
export type Schemas = Readonly<Record<string, Schema>>;

export interface SchemaField {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly isRequired: boolean;
}

const REFERENCE = "#/components/schemas/";
/** Schemas may refer to themselves. */
const DEEPEST = 20;

/** Returns a schema with its references and its parts in one. */
export function resolved(schemas: Schemas, schema: unknown, depth = 0): Schema {
  if (!isRecord(schema) || depth > DEEPEST) return {};
  const { $ref, allOf, ...own } = schema;
  const parts = [
    ...(typeof $ref === "string" && $ref.startsWith(REFERENCE) ? [schemas[$ref.slice(REFERENCE.length)]] : []),
    ...(Array.isArray(allOf) ? allOf : []),
  ].map((part) => resolved(schemas, part, depth + 1));
  return Object.assign({}, ...parts, own);
}

/** Returns the schema of the field at a path; names of maps and indexes of lists lead to the schema of their values. */
function schemaAt(schemas: Schemas, root: Schema, path: readonly Step[]): Schema {
  let schema = resolved(schemas, root);
  for (const step of path) {
    const { properties, items, additionalProperties } = schema;
    if (typeof step === "number") schema = resolved(schemas, items);
    else if (isRecord(properties) && Object.hasOwn(properties, step)) schema = resolved(schemas, properties[step]);
    else schema = resolved(schemas, additionalProperties);
  }
  return schema;
}

/** Returns the fields at a path, the required ones first. */
export function fieldsAt(schemas: Schemas, root: Schema, path: readonly Step[]): SchemaField[] {
  const { properties, required } = schemaAt(schemas, root, path);
  if (!isRecord(properties)) return [];
  const needed = new Set(Array.isArray(required) ? required : []);
  const fields = Object.entries(properties).map(([name, property]) => {
    const schema = resolved(schemas, property);
    return {
      name,
      type: typeOf(schemas, schema),
      description: textOf(schema["description"]),
      isRequired: needed.has(name),
    };
  });
  return [...fields.filter((field) => field.isRequired), ...fields.filter((field) => !field.isRequired)];
}

/** Returns the values that a field may have, when the schema lists them. */
export function valuesAt(schemas: Schemas, root: Schema, path: readonly Step[]): string[] {
  const { enum: values, type } = schemaAt(schemas, root, path);
  if (Array.isArray(values)) return values.map(String);
  return type === "boolean" ? ["true", "false"] : [];
}

function typeOf(schemas: Schemas, schema: Schema): string {
  const { type, items } = schema;
  if (type === "array") return `list of ${typeOf(schemas, resolved(schemas, items))}`;
  const isEither = Object.entries(schema).some(([name, value]) => name.endsWith("-int-or-string") && value === true);
  if (isEither || schema["format"] === "int-or-string") return "integer or string";
  return typeof type === "string" ? type : "any";
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
