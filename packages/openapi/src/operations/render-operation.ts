// Renders operations in OpenAPI 2.0 and 3.0. Source: OpenAPI Specification 2.0 and 3.0.
import type { JsonObject, RuntimeType, TypeModels, Vocabulary } from "@orch/schema";
import type { Operation } from "./operation";
import {
  ALWAYS_SPELT_OUT,
  PATH_PARAMETERS,
  QUERY_PARAMETERS,
  type QueryParameter,
  type QueryParameterName,
} from "./operation-parameters";

export interface RenderContext {
  readonly vocabulary: Vocabulary;
  readonly models: TypeModels;
}

export interface Renderer {
  operation(operation: Operation): JsonObject;
  /** Parameters that all operations of a path share. */
  pathParameters(operation: Operation): readonly JsonObject[];
  /** Shared parameters to which the rendered operations refer. */
  sharedParameters(): readonly (readonly [name: string, parameter: JsonObject])[];
}

const PATCHES_OF_ALL = ["application/json-patch+json", "application/merge-patch+json"];
const APPLY = "application/apply-patch+yaml";
const CUSTOM_PATCHES = [...PATCHES_OF_ALL, APPLY];
const PATCHES = [...PATCHES_OF_ALL, "application/strategic-merge-patch+json", APPLY];
/** Media types of patches, from which clients choose. */
const patchTypes = ({ isCustom }: Operation): readonly string[] => (isCustom === true ? CUSTOM_PATCHES : PATCHES);

const REASONS: Readonly<Record<number, string>> = { 200: "OK", 201: "Created", 202: "Accepted", 401: "Unauthorized" };

export function version2Renderer({ vocabulary, models }: RenderContext): Renderer {
  const query = (name: string, { type, repeats, required, description }: QueryParameter): JsonObject => ({
    name,
    in: "query",
    ...(required && { required }),
    ...(repeats ? { type: "array", items: { type }, collectionFormat: "multi" } : { type, uniqueItems: true }),
    description,
  });
  const shared = new SharedParameters("#/parameters/", query);
  return {
    operation(operation) {
      const { body, answer, codes } = operation;
      const schema = models.reference(answer);
      const answers = codes.map((code) => [code, { description: REASONS[code] ?? "", schema }]);
      const bodyParameter: JsonObject[] =
        body === undefined
          ? []
          : [{ name: "body", in: "body", required: body.required, schema: models.reference(body.type) }];
      return {
        ...said(operation),
        consumes: operation.method === "patch" && body !== undefined ? [...patchTypes(operation)] : ["*/*"],
        produces: producedTypes(vocabulary, operation),
        parameters: [...bodyParameter, ...shared.ofOperation(operation)],
        responses: { ...Object.fromEntries(answers), 401: { description: "Unauthorized" } },
        ...extensionsOf(operation, vocabulary),
      };
    },
    pathParameters: (operation) => [
      ...operation.placeholders.map((name) => ({ ...pathParameter(name), type: "string", uniqueItems: true })),
      ...shared.ofPath(operation),
    ],
    sharedParameters: () => shared.all(),
  };
}

export function version3Renderer({ vocabulary, models }: RenderContext): Renderer {
  const query = (name: string, { type, repeats, required, description }: QueryParameter): JsonObject => ({
    name,
    in: "query",
    ...(required && { required }),
    description,
    schema: repeats ? { type: "array", items: { type } } : { type, uniqueItems: true },
  });
  const shared = new SharedParameters("#/components/parameters/", query);
  return {
    operation(operation) {
      const { body, answer, codes } = operation;
      const content = (type: RuntimeType, mediaTypes: readonly string[]) =>
        Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema: models.reference(type) }]));
      const produced = producedTypes(vocabulary, operation);
      const answers = codes.map((code) => [
        code,
        { description: REASONS[code] ?? "", content: content(answer, produced) },
      ]);
      const bodyTypes = operation.method === "patch" ? patchTypes(operation) : ["*/*"];
      const parameters = shared.ofOperation(operation);
      return {
        ...said(operation),
        // Clients that write the document anew omit an empty list, and would find it changed.
        ...(parameters.length === 0 ? {} : { parameters }),
        ...(body === undefined
          ? {}
          : { requestBody: { content: content(body.type, bodyTypes), required: body.required } }),
        responses: { ...Object.fromEntries(answers), 401: { description: "Unauthorized" } },
        ...extensionsOf(operation, vocabulary),
      };
    },
    pathParameters: (operation) => [
      ...operation.placeholders.map((name) => ({
        ...pathParameter(name),
        schema: { type: "string", uniqueItems: true },
      })),
      ...shared.ofPath(operation),
    ],
    sharedParameters: () => shared.all(),
  };
}

const said = ({ summary, tag, operationId, deprecated }: Operation): JsonObject => ({
  summary,
  tags: [tag],
  operationId,
  ...(deprecated ? { deprecated } : {}),
});

function producedTypes({ mediaTypes }: Vocabulary, { answersIn, isCustom }: Operation): string[] {
  const objects = isCustom === true ? [...TEXTS] : [...TEXTS, mediaTypes.protobuf];
  switch (answersIn) {
    case "objects":
      return objects;
    case "streams":
      return [...objects, "application/json;stream=watch", ...(isCustom === true ? [] : [mediaTypes.protobufWatch])];
    case "documents":
      return [...TEXTS];
    case "text":
      return ["text/plain", ...objects];
    case "anything":
      return ["*/*"];
    case "lines":
      return ["application/x-ndjson"];
    case "events":
      return ["application/json;stream=watch", "application/x-ndjson", "text/event-stream"];
  }
}

const TEXTS = ["application/json", "application/yaml"] as const;

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

/** Parameters that the document defines once. Contains only those to which an operation refers. */
class SharedParameters {
  private readonly referred = new Set<QueryParameterName>();

  constructor(
    private readonly prefix: string,
    private readonly whole: (name: string, parameter: QueryParameter) => JsonObject,
  ) {}

  ofOperation({ query, options = {} }: Operation): JsonObject[] {
    return [
      ...query.map((name) =>
        ALWAYS_SPELT_OUT.has(name) ? this.whole(name, QUERY_PARAMETERS[name]) : this.reference(name),
      ),
      ...Object.entries(options).map(([name, parameter]) => this.whole(name, parameter)),
    ];
  }

  /** Adds the `pretty` parameter. */
  ofPath({ marks, answersIn }: Operation): JsonObject[] {
    return marks === undefined || answersIn === "anything" ? [] : [this.reference("pretty")];
  }

  all(): readonly (readonly [name: string, parameter: JsonObject])[] {
    return [...this.referred].map((name) => [name, this.whole(name, QUERY_PARAMETERS[name])]);
  }

  private reference(name: QueryParameterName): JsonObject {
    this.referred.add(name);
    return { $ref: this.prefix + name };
  }
}
