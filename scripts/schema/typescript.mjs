// Generates the TypeScript types of every group version. They describe the canonical JSON of a decoded message.

const SCALAR = {
  string: "string",
  bool: "boolean",
  bytes: "string",
  double: "number",
  int32: "number",
  int64: "number",
  uint32: "number",
};
const SPECIAL = {
  quantity: "string",
  intOrString: "number | string",
  time: "string",
  microTime: "string",
  timestamp: "string",
  duration: "string",
  json: "JsonValue",
  fieldsV1: "JsonObject",
  rawExtension: "JsonValue",
  unknown: "JsonValue",
  patch: "JsonValue",
  stringList: "string[]",
  schemaOrArray: "JSONSchemaProps | JSONSchemaProps[]",
  schemaOrBool: "JSONSchemaProps | boolean",
  schemaOrStringArray: "JSONSchemaProps | string[]",
};
const SPECIAL_NULL = new Set(["time", "microTime", "timestamp", "json", "rawExtension", "stringList"]);

/** @returns pairs of a module path, relative to the generated folder, and the module's text */
export function typeModules(files) {
  const byId = new Map(files.map((file) => [file.id, file]));
  const modules = files.map((file) => [`types/${file.id.replace("/", ".")}.ts`, typeModule(file, byId)]);
  const index = files.map(({ id }) => `export type * as ${namespaceOf(id)} from "./${id.replace("/", ".")}";`);
  return [...modules, ["types/index.ts", `${index.join("\n")}\n`]];
}

/** "core/v1" → "coreV1" */
function namespaceOf(id) {
  return id.replace(/\/(.)/, (_, letter) => letter.toUpperCase());
}

function typeModule(file, byId) {
  const imported = new Set();
  const refer = (reference) => {
    const dot = reference.lastIndexOf(".");
    if (dot < 0) return reference;
    const id = reference.slice(0, dot);
    imported.add(id);
    return `${namespaceOf(id)}.${reference.slice(dot + 1)}`;
  };
  const declared = Object.entries(file.types).map(([name, type]) => declaration(name, type, { file, byId, refer }));
  const aliases = Object.entries(file.aliases ?? {}).map(([name, of]) => `export type ${name} = ${refer(of)};`);
  const imports = [...imported]
    .sort()
    .map((id) => `import type * as ${namespaceOf(id)} from "./${id.replace("/", ".")}";`);
  const body = [...aliases, ...declared, ""].join("\n");
  const json = ["JsonObject", "JsonValue"].filter((name) => new RegExp(`\\b${name}\\b`).test(body));
  if (json.length > 0) imports.unshift(`import type { ${json.join(", ")} } from "../../json/json-value";`);
  return [...imports, "", body].join("\n");
}

function declaration(name, type, context) {
  if (type.special !== undefined) return `export type ${name} = ${SPECIAL[type.special]};`;
  const typeMeta = type.root ? ["  kind?: string;", "  apiVersion?: string;"] : [];
  const lines = (type.fields ?? []).filter((field) => !field.inline && !isVocabularyName(field.json));
  const own = lines.map((field) => `  ${property(field, context)};`);
  const inlined = (type.fields ?? []).filter((field) => field.inline).map((field) => ` & ${context.refer(field.type)}`);
  return `export type ${name} = {\n${[...typeMeta, ...own].join("\n")}\n}${inlined.join("")};`;
}

/** Reports whether the name depends on the vocabulary. Types omit such fields. */
function isVocabularyName(name) {
  return name.startsWith("{");
}

function property(field, context) {
  const name = /^[A-Za-z]\w*$/.test(field.json) ? field.json : JSON.stringify(field.json);
  const value = valueType(field, context);
  const nullable = isNullable(field, context) ? " | null" : "";
  return `${name}${keepsEmpty(field) && !field.pointer ? "" : "?"}: ${value}${nullable}`;
}

function keepsEmpty({ omitEmpty, required }) {
  return omitEmpty === undefined ? required === true : !omitEmpty;
}

/** Reports whether an unset field is null in JSON. See zero-value.ts in packages/schema. */
function isNullable(field, { file, byId }) {
  if (field.pointer || field.shape !== undefined || field.type === "bytes") return keepsEmpty(field);
  const special = lookUp(file, byId, field.type, "types")?.special;
  return special !== undefined && !field.omitZero && SPECIAL_NULL.has(special);
}

/** Returns a type or enumeration of this file, or of another file when the reference contains its id. */
function lookUp(file, byId, reference, table) {
  const dot = reference.lastIndexOf(".");
  return (dot < 0 ? file : byId.get(reference.slice(0, dot)))[table]?.[reference.slice(dot + 1)];
}

function valueType(field, { file, byId, refer }) {
  const element = enumType(field, file, byId) ?? SCALAR[field.type] ?? refer(field.type);
  if (field.shape === "list") return `${/[|&]/.test(element) ? `(${element})` : element}[]`;
  return field.shape === "map" ? `{ [key: string]: ${element} }` : element;
}

/** Returns the union of the values of a closed enumeration, or undefined when any string is allowed. */
function enumType(field, file, byId) {
  if (field.enum === undefined) return undefined;
  const { values, closed } = lookUp(file, byId, field.enum, "enums");
  if (!closed || values.some(isVocabularyName)) return undefined;
  return values.map((value) => JSON.stringify(value)).join(" | ");
}
