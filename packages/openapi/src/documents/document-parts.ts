// Splits a published schema document into parts. Each part is made in one step, so that requests are served between the
// steps. OpenAPI 2.0 and 3.0 documents have the same parts.
import {
  type Field,
  type GroupVersionKind,
  type JsonObject,
  type OpenapiVersion,
  type Schema,
  type StructType,
  TypeModels,
  type Vocabulary,
} from "@orch/schema";
import type { Operation } from "../operations/operation";
import { type Renderer, version2Renderer, version3Renderer } from "../operations/render-operation";

export interface DocumentPart {
  readonly section: "paths" | "parameters" | "models" | "securitySchemes";
  readonly name: string;
  readonly value: JsonObject;
}

export interface PartsSource {
  readonly schema: Schema;
  readonly operations: readonly Operation[];
  readonly kindsOf: (struct: StructType) => readonly GroupVersionKind[];
  /** Whether the served release has a field. */
  readonly shows: (field: Field) => boolean;
  /** Whether a model, by name, is in the document already. Absent: none is. */
  readonly isThere?: ((model: string) => boolean) | undefined;
}

/**
 * Yields the parts of a document. Paths come first, because they determine the models. @yields undefined for a step of
 * a large part
 */
export function* documentParts(version: OpenapiVersion, source: PartsSource): Generator<DocumentPart | undefined> {
  const { schema, operations } = source;
  const models = new TypeModels(schema, version, source);
  const renderer = rendererOf(version, { vocabulary: schema.vocabulary, models });
  for (const [name, ofPath] of byPath(operations)) {
    yield { section: "paths", name, value: pathItem(ofPath, renderer) };
  }
  for (const [name, value] of renderer.sharedParameters()) yield { section: "parameters", name, value };
  yield { section: "securitySchemes", name: SECURITY_SCHEME, value: SECURITY[version] };
  for (let model = yield* models.making(); model !== undefined; model = yield* models.making()) {
    yield { section: "models", name: model[0], value: model[1] };
  }
}

export const SECURITY_SCHEME = "BearerToken";

const SECURITY_TEXT = "A token that this server's authentication accepts";
/** OpenAPI 2.0 has no bearer scheme: there it is an API key in a header. */
const SECURITY: Readonly<Record<OpenapiVersion, JsonObject>> = {
  v2: {
    type: "apiKey",
    name: "authorization",
    in: "header",
    description: `${SECURITY_TEXT}, after the word Bearer and a space.`,
  },
  v3: { type: "http", scheme: "bearer", description: `${SECURITY_TEXT}.` },
};

function rendererOf(
  version: OpenapiVersion,
  context: { readonly vocabulary: Vocabulary; readonly models: TypeModels },
) {
  switch (version) {
    case "v2":
      return version2Renderer(context);
    case "v3":
      return version3Renderer(context);
  }
}

function byPath(operations: readonly Operation[]): ReadonlyMap<string, readonly Operation[]> {
  const paths = new Map<string, Operation[]>();
  for (const operation of operations) {
    const known = paths.get(operation.path);
    if (known === undefined) paths.set(operation.path, [operation]);
    else known.push(operation);
  }
  return paths;
}

function pathItem(operations: readonly Operation[], renderer: Renderer): JsonObject {
  const [first] = operations;
  const methods = operations.map((operation) => [operation.method, renderer.operation(operation)]);
  const parameters = first === undefined ? [] : [...renderer.pathParameters(first)];
  return { ...Object.fromEntries(methods), ...(parameters.length === 0 ? {} : { parameters }) };
}
