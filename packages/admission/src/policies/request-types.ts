// CEL types of `request` and `namespaceObject`. Source: KEP-3488, "CEL for Admission Control".
import { type CelType, DYN, opaqueOf, type SchemaType, SchemaTypes } from "@orch/expressions";
import type { JsonObject, Vocabulary } from "@orch/schema";

export interface RequestTypes {
  /** The type's values are read as JSON: all of them are strings, booleans, and lists and maps of those. */
  readonly request: CelType;
  readonly namespace: SchemaType;
}

const known = new WeakMap<Vocabulary, RequestTypes>();

export function requestTypes(vocabulary: Vocabulary): RequestTypes {
  let types = known.get(vocabulary);
  if (types === undefined) {
    const of = new SchemaTypes(vocabulary.schemaExtensions);
    const typeOf = (schema: JsonObject) => of.of(schema) as SchemaType;
    types = { request: withOptions(typeOf(REQUEST).type), namespace: typeOf(NAMESPACE) };
    known.set(vocabulary, types);
  }
  return types;
}

export const authorizerType = (): CelType => opaqueOf("kubernetes.authorization.Authorizer");
export const resourceCheckType = (): CelType => opaqueOf("kubernetes.authorization.ResourceCheck");

const TEXT: JsonObject = { type: "string" };
const TEXTS: JsonObject = { type: "array", items: TEXT };
const TEXT_MAP: JsonObject = { type: "object", additionalProperties: TEXT };
const TIME: JsonObject = { type: "string", format: "date-time" };
const NUMBER: JsonObject = { type: "integer" };
const object = (properties: Readonly<Record<string, JsonObject>>): JsonObject => ({ type: "object", properties });

const kind = object({ group: TEXT, version: TEXT, kind: TEXT });
const resource = object({ group: TEXT, version: TEXT, resource: TEXT });

const REQUEST = object({
  kind,
  resource,
  subResource: TEXT,
  requestKind: kind,
  requestResource: resource,
  requestSubResource: TEXT,
  name: TEXT,
  namespace: TEXT,
  operation: TEXT,
  userInfo: object({
    username: TEXT,
    uid: TEXT,
    groups: TEXTS,
    extra: { type: "object", additionalProperties: TEXTS },
  }),
  dryRun: { type: "boolean" },
});

/** Adds `options`, which is one of three kinds depending on the operation. */
const withOptions = (type: CelType): CelType =>
  type.kind === "object" ? { ...type, fields: new Map([...type.fields, ["options", DYN]]) } : type;

const NAMESPACE = object({
  metadata: object({
    name: TEXT,
    generateName: TEXT,
    namespace: TEXT,
    labels: TEXT_MAP,
    annotations: TEXT_MAP,
    uid: TEXT,
    UID: TEXT,
    creationTimestamp: TIME,
    deletionGracePeriodSeconds: NUMBER,
    deletionTimestamp: TIME,
    generation: NUMBER,
    resourceVersion: TEXT,
    finalizers: TEXTS,
  }),
  spec: object({ finalizers: TEXTS }),
  status: object({ phase: TEXT }),
});
