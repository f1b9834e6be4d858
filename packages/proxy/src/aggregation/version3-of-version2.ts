// Converts the OpenAPI v2 schema of an aggregated API server to OpenAPI v3. Source: OpenAPI Specification 2.0 and 3.0.

import type { DocumentPart, DocumentPiece } from "@orch/openapi";
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";
import type { RemoteSpec } from "./remote-spec";

/** @param path path of the document, such as `apis/apps/v1` */
export const version3Piece = (path: string, spec: RemoteSpec): DocumentPiece => ({
  path,
  *parts(): Generator<DocumentPart> {
    const bodies = new Map<string, JsonObject>();
    for (const [name, text] of spec.parameters) {
      const value = parsed(text);
      if (value["in"] === "body") bodies.set(`#/parameters/${name}`, value);
    }
    for (const [name, text] of spec.paths) yield { section: "paths", name, value: pathItem(parsed(text), bodies) };
    for (const [name, text] of spec.parameters) {
      const value = parsed(text);
      // OpenAPI v3 has no body parameters; operations refer to request bodies.
      if (value["in"] !== "body") yield { section: "parameters", name, value: parameter(value) };
    }
    for (const [name, text] of spec.definitions)
      yield { section: "models", name, value: referring(parsed(text)) as JsonObject };
  },
});

const parsed = (text: string): JsonObject => JSON.parse(text) as JsonObject;

const METHODS: ReadonlySet<string> = new Set(["get", "put", "post", "delete", "options", "head", "patch"]);

/** Request bodies that operations refer to as parameters. */
type Bodies = ReadonlyMap<string, JsonObject>;

function pathItem(item: JsonObject, bodies: Bodies): JsonObject {
  const made: JsonObject = {};
  for (const [member, value] of Object.entries(item) as [string, JsonValue][]) {
    if (METHODS.has(member) && isObject(value)) made[member] = operation(value, bodies);
    else if (member === "parameters") made[member] = objectsOf(value).map(parameter);
    else made[member] = value;
  }
  return made;
}

function operation(
  { consumes, produces, schemes: _, parameters, responses, ...said }: JsonObject,
  bodies: Bodies,
): JsonObject {
  const given = objectsOf(parameters).map((each) => bodies.get(String(each["$ref"])) ?? each);
  const body = given.find((each) => each["in"] === "body");
  const others = given.filter((each) => each !== body).map(parameter);
  return {
    ...said,
    ...(others.length > 0 && { parameters: others }),
    ...(body !== undefined && {
      requestBody: {
        ...(body["required"] === true && { required: true }),
        content: contentOf(body["schema"], mediaTypes(consumes)),
      },
    }),
    responses: Object.fromEntries(
      (Object.entries(isObject(responses) ? responses : {}) as [string, JsonValue][])
        .filter(([, each]) => isObject(each))
        .map(([code, each]) => [code, response(each as JsonObject, mediaTypes(produces))]),
    ),
  };
}

function response({ schema, description, ...said }: JsonObject, types: readonly string[]): JsonObject {
  const { headers: _, examples: __, ...rest } = said;
  return {
    ...rest,
    description: typeof description === "string" ? description : "",
    ...(schema !== undefined && { content: contentOf(schema, types) }),
  };
}

const contentOf = (schema: JsonValue | undefined, types: readonly string[]): JsonObject =>
  Object.fromEntries(types.map((type) => [type, { schema: referring(schema ?? {}) }]));

/** Members of an OpenAPI v2 parameter that do not describe its value. */
const AROUND: ReadonlySet<string> = new Set(["name", "in", "description", "required", "allowEmptyValue"]);

function parameter(given: JsonObject): JsonObject {
  if (typeof given["$ref"] === "string") return referring(given) as JsonObject;
  const around: JsonObject = {};
  const schema: JsonObject = {};
  for (const [member, value] of Object.entries(given) as [string, JsonValue][]) {
    if (AROUND.has(member) || member.startsWith("x-")) around[member] = value;
    else if (member !== "collectionFormat" && member !== "schema") schema[member] = value;
  }
  const repeats = given["collectionFormat"] === "multi";
  return { ...around, schema: referring(schema), ...(schema["type"] === "array" && !repeats && { explode: false }) };
}

const mediaTypes = (given: JsonValue | undefined): readonly string[] => {
  const types = Array.isArray(given) ? given.filter((each) => typeof each === "string") : [];
  return types.length === 0 ? ["*/*"] : types;
};

const objectsOf = (values: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(values) ? values.filter(isObject) : [];

/** Rewrites references to their place in OpenAPI v3. */
function referring(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(referring);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    (Object.entries(value) as [string, JsonValue][]).map(([member, each]) => [
      member,
      member === "$ref" && typeof each === "string" ? placeOf(each) : referring(each),
    ]),
  );
}

const placeOf = (reference: string): string =>
  reference
    .replace(/^#\/definitions\//, "#/components/schemas/")
    .replace(/^#\/parameters\//, "#/components/parameters/");
