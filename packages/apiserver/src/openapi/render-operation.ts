// Operations in the two versions' forms. Source: OpenAPI 2.0 and 3.0; facts, vocabulary.json "schemaExtensions".
import type { JsonObject, RuntimeType, TypeModels, Vocabulary } from "@orch/schema";
import { ALWAYS_SPELT_OUT, PATH_PARAMETERS, QUERY_PARAMETERS, type QueryParameterName } from "./operation-parameters";
import type { Operation } from "./operations";

export interface RenderContext {
  readonly vocabulary: Vocabulary;
  readonly models: TypeModels;
}

export interface Renderer {
  operation(operation: Operation): JsonObject;
  /** What all operations of a path share. */
  pathParameters(placeholders: Operation["placeholders"]): readonly JsonObject[];
  /** What operations refer to by name. */
  sharedParameters(): readonly (readonly [name: string, parameter: JsonObject])[];
}

const PATCH_TYPES = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
];
const REASONS: Readonly<Record<number, string>> = { 200: "OK", 201: "Created", 202: "Accepted", 401: "Unauthorized" };

export function version2Renderer({ vocabulary, models }: RenderContext): Renderer {
  const query = (name: QueryParameterName): JsonObject => ({
    name,
    in: "query",
    type: QUERY_PARAMETERS[name].type,
    description: QUERY_PARAMETERS[name].description,
    uniqueItems: true,
  });
  return {
    operation(operation) {
      const { body, answer, codes } = operation;
      const answers = codes.map((code) => [code, response2(code, answer, models)]);
      const bodyParameter: JsonObject[] =
        body === undefined
          ? []
          : [{ name: "body", in: "body", required: body.required, schema: models.reference(body.type) }];
      return {
        summary: operation.summary,
        consumes: operation.method === "patch" ? PATCH_TYPES : ["*/*"],
        produces: producedTypes(vocabulary, operation.watches),
        tags: [operation.tag],
        operationId: operation.operationId,
        parameters: [...bodyParameter, ...operation.query.map((name) => byNameOrWhole(name, "#/parameters/", query))],
        responses: { ...Object.fromEntries(answers), 401: { description: "Unauthorized" } },
        ...extensionsOf(operation, vocabulary),
      };
    },
    pathParameters: (placeholders) => [
      ...placeholders.map((name) => ({ ...pathParameter(name), type: "string", uniqueItems: true })),
      { $ref: "#/parameters/pretty" },
    ],
    sharedParameters: () => sharedNames().map((name) => [name, query(name)]),
  };
}

export function version3Renderer({ vocabulary, models }: RenderContext): Renderer {
  const query = (name: QueryParameterName): JsonObject => ({
    name,
    in: "query",
    description: QUERY_PARAMETERS[name].description,
    schema: { type: QUERY_PARAMETERS[name].type, uniqueItems: true },
  });
  return {
    operation(operation) {
      const { body, answer, codes, watches } = operation;
      const content = (type: RuntimeType, mediaTypes: readonly string[]) =>
        Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema: models.reference(type) }]));
      const produced = producedTypes(vocabulary, watches);
      const answers = codes.map((code) => {
        const description = REASONS[code] ?? "";
        return [code, answer === undefined ? { description } : { description, content: content(answer, produced) }];
      });
      const bodyTypes = operation.method === "patch" ? PATCH_TYPES : ["*/*"];
      return {
        summary: operation.summary,
        tags: [operation.tag],
        operationId: operation.operationId,
        parameters: operation.query.map((name) => byNameOrWhole(name, "#/components/parameters/", query)),
        ...(body === undefined
          ? {}
          : { requestBody: { content: content(body.type, bodyTypes), required: body.required } }),
        responses: { ...Object.fromEntries(answers), 401: { description: "Unauthorized" } },
        ...extensionsOf(operation, vocabulary),
      };
    },
    pathParameters: (placeholders) => [
      ...placeholders.map((name) => ({ ...pathParameter(name), schema: { type: "string", uniqueItems: true } })),
      { $ref: "#/components/parameters/pretty" },
    ],
    sharedParameters: () => sharedNames().map((name) => [name, query(name)]),
  };
}

function response2(code: number, answer: RuntimeType | undefined, models: TypeModels): JsonObject {
  const description = REASONS[code] ?? "";
  return answer === undefined ? { description } : { description, schema: models.reference(answer) };
}

function producedTypes({ mediaTypes }: Vocabulary, watches: boolean): string[] {
  const plain = ["application/json", "application/yaml", mediaTypes.protobuf];
  return watches ? [...plain, "application/json;stream=watch", mediaTypes.protobufWatch] : plain;
}

function extensionsOf({ marks }: Operation, { schemaExtensions }: Vocabulary): JsonObject {
  if (marks === undefined) return {};
  const { action, kind } = marks;
  return { [schemaExtensions.action]: action, [schemaExtensions.groupVersionKind]: { ...kind } };
}

const pathParameter = (name: keyof typeof PATH_PARAMETERS): JsonObject => ({
  name,
  in: "path",
  required: true,
  description: PATH_PARAMETERS[name],
});

function byNameOrWhole(name: QueryParameterName, prefix: string, whole: (name: QueryParameterName) => JsonObject) {
  return ALWAYS_SPELT_OUT.has(name) ? whole(name) : { $ref: prefix + name };
}

function sharedNames(): readonly QueryParameterName[] {
  const names = Object.keys(QUERY_PARAMETERS) as QueryParameterName[];
  return names.filter((name) => !ALWAYS_SPELT_OUT.has(name));
}
