// Descriptions, types and fields of a published schema as text.
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";

export type Schemas = Readonly<Record<string, JsonObject>>;

export interface FoundSchema {
  readonly schema: JsonObject;
  /** The last field of the path; absent: the kind itself. */
  readonly field?: string;
}

export interface MissingField {
  readonly missing: string;
  readonly known: readonly string[];
}

/** Maximum depth of `--recursive`. */
const DEPTH_MAX = 30;
const WIDTH = 76;

/** Follows a path of fields, through lists and maps. */
export function schemaAt(schemas: Schemas, root: JsonObject, path: readonly string[]): FoundSchema | MissingField {
  let schema = root;
  for (const name of path) {
    const properties = propertiesOf(schemas, schema);
    const next = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!isObject(next)) return { missing: name, known: Object.keys(properties) };
    schema = next;
  }
  const field = path.at(-1);
  return field === undefined ? { schema } : { schema, field };
}

/** Returns the text of a kind or of a field. */
export function explainedText(schemas: Schemas, { schema, field }: FoundSchema, isRecursive: boolean): string {
  const head =
    field === undefined ? "" : `FIELD: ${field} <${typeText(schemas, schema)}>\n${enumLines(schemas, schema)}\n\n`;
  const description = descriptionsOf(schemas, schema, 0).join("\n");
  const fields = fieldsText(schemas, schema, { level: 1, isRecursive, seen: new Set() });
  const lines = wrapped(description === "" ? "<empty>" : `${description}\n`, WIDTH).map((line) => `    ${line}\n`);
  return `${head}DESCRIPTION:\n${lines.join("")}${fields === "" ? "" : `FIELDS:\n${fields}`}\n`;
}

interface Listing {
  readonly level: number;
  readonly isRecursive: boolean;
  readonly seen: ReadonlySet<JsonObject>;
}

function fieldsText(schemas: Schemas, schema: JsonObject, { level, isRecursive, seen }: Listing): string {
  const resolved = objectOf(schemas, schema);
  if (level > DEPTH_MAX || seen.has(resolved)) return "";
  const inner = { level: level + 1, isRecursive, seen: new Set([...seen, resolved]) };
  const required = Array.isArray(resolved["required"]) ? resolved["required"] : [];
  const indent = "  ".repeat(level);
  return Object.entries(propertiesOf(schemas, schema))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, field]) => {
      const type = `${indent}${name}\t<${typeText(schemas, field)}>${required.includes(name) ? " -required-" : ""}`;
      const line = `${type}${shortEnum(schemas, field, indent)}\n`;
      if (isRecursive) return line + fieldsText(schemas, field, inner);
      const text = typeof field["description"] === "string" ? field["description"] : "<no description>";
      return `${line}${wrapped(text, WIDTH + 2 - indent.length)
        .map((each) => `${indent}  ${each}\n`)
        .join("")}\n`;
    })
    .join("");
}

/** Returns the schema that a reference or a single alternative stands for. */
function resolvedOf(schemas: Schemas, schema: JsonObject): JsonObject {
  let found = schema;
  for (let count = 0; count < DEPTH_MAX; count += 1) {
    const reference = found["$ref"];
    const [only] = Array.isArray(found["allOf"]) ? found["allOf"] : [];
    if (typeof reference === "string") found = schemas[reference.slice(reference.lastIndexOf("/") + 1)] ?? {};
    else if (isObject(only) && found["properties"] === undefined) found = only;
    else break;
  }
  return found;
}

/** Returns the schema of the elements of lists and maps, or the schema itself. */
function objectOf(schemas: Schemas, schema: JsonObject): JsonObject {
  let found = resolvedOf(schemas, schema);
  for (let count = 0; count < DEPTH_MAX; count += 1) {
    const inner = found["items"] ?? found["additionalProperties"];
    if (!isObject(inner) || isObject(found["properties"])) break;
    found = resolvedOf(schemas, inner);
  }
  return found;
}

function propertiesOf(schemas: Schemas, schema: JsonObject): Readonly<Record<string, JsonObject>> {
  const { properties } = objectOf(schemas, schema);
  return isObject(properties) ? (properties as Readonly<Record<string, JsonObject>>) : {};
}

function typeText(schemas: Schemas, schema: JsonObject): string {
  const { items, additionalProperties, allOf, type } = schema;
  const reference = schema["$ref"];
  if (isObject(items)) return `[]${typeText(schemas, items)}`;
  if (isObject(additionalProperties)) return `map[string]${typeText(schemas, additionalProperties)}`;
  if (Array.isArray(allOf) && allOf.length === 1 && isObject(allOf[0]) && schema["properties"] === undefined) {
    return typeText(schemas, allOf[0]);
  }
  if (typeof reference === "string") {
    const target = resolvedOf(schemas, schema)["type"];
    if (typeof target === "string" && target !== "object") return target;
    return reference.slice(Math.max(reference.lastIndexOf("/"), reference.lastIndexOf(".")) + 1) || "Object";
  }
  return typeof type === "string" && type !== "object" ? type : "Object";
}

function descriptionsOf(schemas: Schemas, schema: JsonObject, depth: number): string[] {
  if (depth > 3) return [];
  const { description, allOf, items, additionalProperties } = schema;
  const reference = schema["$ref"];
  if (typeof reference === "string") return descriptionsOf(schemas, resolvedOf(schemas, schema), depth + 1);
  return [
    ...(typeof description === "string" && description !== "" ? [description] : []),
    ...[...(Array.isArray(allOf) ? allOf : []), items, additionalProperties]
      .filter(isObject)
      .flatMap((inner) => descriptionsOf(schemas, inner, depth + 1)),
  ];
}

const valuesOf = (schemas: Schemas, schema: JsonObject): readonly string[] => {
  const { enum: values } = objectOf(schemas, schema);
  return Array.isArray(values) ? values.map((value: JsonValue) => (value === "" ? '""' : String(value))) : [];
};

function enumLines(schemas: Schemas, schema: JsonObject): string {
  const values = valuesOf(schemas, schema);
  return values.length === 0 ? "" : `ENUM:\n${values.map((value) => `    ${value}`).join("\n")}`;
}

const ENUM_SHOWN = 4;

function shortEnum(schemas: Schemas, schema: JsonObject, indent: string): string {
  const values = valuesOf(schemas, schema);
  if (values.length === 0) return "";
  const more = values.length > ENUM_SHOWN ? ", ...." : "";
  return `\n${indent}enum: ${values.slice(0, ENUM_SHOWN).join(", ")}${more}`;
}

/** Returns the lines of a text, at most as wide as that. */
function wrapped(text: string, width: number): string[] {
  return text.split("\n").flatMap((paragraph) => {
    const lines: string[] = [];
    let line = "";
    for (const word of paragraph.split(/\s+/)) {
      if (line !== "" && line.length + 1 + word.length > width) {
        lines.push(line);
        line = word;
      } else line = line === "" ? word : `${line} ${word}`;
    }
    return [...lines, line];
  });
}
