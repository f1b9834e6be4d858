// Runtime types of a structural schema. Decoding, defaulting, apply and the OpenAPI documents use them for custom
// resources as for built-in types. Each struct creates its fields at the first access.
import {
  type DynamicField,
  dynamicStruct,
  type ItemNulls,
  type JsonObject,
  type JsonValue,
  type ListType,
  type RuntimeType,
  type StructType,
} from "@orch/schema";
import { LeadingNodes } from "./leading-nodes";
import {
  additionalOf,
  hasDefault,
  hasProperties,
  itemsOf,
  type Markers,
  namesOf,
  propertiesOf,
  saysTrue,
  textOf,
} from "./schema-node";

export interface TypeSource {
  readonly markers: Markers;
  /** Type of ObjectMeta. */
  readonly metadata: StructType;
  /** Unknown fields are preserved everywhere. */
  readonly keepsAll: boolean;
  readonly leadsToDefault: (node: JsonObject) => boolean;
}

export function typeSource(of: Omit<TypeSource, "leadsToDefault">): TypeSource {
  const leading = new LeadingNodes(hasDefault);
  return { ...of, leadsToDefault: (node) => leading.has(node) };
}

const STRING = { kind: "string" } as const satisfies RuntimeType;
const ANY: RuntimeType = { kind: "any", merges: true };
const WHOLE: RuntimeType = { kind: "any" };

export interface RootParts {
  readonly name: string;
  readonly source: TypeSource;
  readonly keepsUnknownFields: boolean;
  /** Builds the OpenAPI schema. */
  readonly published: NonNullable<StructType["published"]>;
}

/** Returns the type of a whole object. @param root returns the schema; called when the fields are first accessed */
export function rootType(root: () => JsonObject, { name, source, ...said }: RootParts): StructType {
  return dynamicStruct({
    name,
    isRoot: true,
    fields: () => resourceFields(root(), name, source, said.keepsUnknownFields ? "above" : "nowhere"),
    validatesLater: true,
    ...said,
  });
}

/** Returns the fields of a resource. The schema of `metadata` may restrict values but does not define the type. */
const resourceFields = (
  node: JsonObject,
  name: string,
  source: TypeSource,
  preserved: Preserved,
): readonly DynamicField[] => [
  { name: "metadata", type: source.metadata },
  ...fieldsOf(node, name, source, preserved).filter((field) => field.name !== "metadata"),
];

function fieldsOf(node: JsonObject, name: string, source: TypeSource, preserved: Preserved): readonly DynamicField[] {
  const required = new Set(namesOf(node, "required"));
  const fields: DynamicField[] = [];
  for (const [property, child] of propertiesOf(node)) {
    fields.push({
      name: property,
      type: nodeType(child, `${name}.${property}`, source, preserved),
      required: required.has(property),
      nullable: source.keepsAll || saysTrue(child, "nullable"),
      dropsAppliedNull: isUntyped(child, source.markers),
      ...(hasDefault(child) && { default: child["default"] as JsonValue }),
    });
  }
  return fields;
}

/**
 * Place of a node relative to nodes that preserve unknown fields. items: the node describes the items of a list that
 * preserves. Such a list passes the property to its items, through nested lists; named and additional properties are
 * pruned by their own schemas. above: a node at any distance above preserves. Undeclared fields of such a node may be
 * applied, and are pruned. Source:
 * staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning/algorithm.go and `visitSpec` in
 * k8s.io/kube-openapi/pkg/schemaconv/openapi.go.
 */
type Preserved = "items" | "above" | "nowhere";

/**
 * Returns the type of the values of one node.
 * @param name prefix of the names of structs in it
 */
export function nodeType(
  node: JsonObject,
  name: string,
  source: TypeSource,
  preserved: Preserved = "nowhere",
): RuntimeType {
  const { markers } = source;
  const preserves = preserved === "items" || saysTrue(node, markers.preserveUnknownFields);
  const inside = preserves ? "above" : preserved;
  if (saysTrue(node, markers.intOrString)) return { kind: "intOrString", bits: 64 };
  const type = textOf(node, "type");
  switch (type) {
    case "string":
    case "boolean":
    case "number":
      return { kind: type };
    case "integer":
      return { kind: "integer", bits: 64, unsigned: false };
    case "array":
      return listType(node, name, source, preserves ? "items" : preserved);
    case "object":
      return objectType(node, name, source, { preserves, inside });
    default:
      return hasProperties(node) ? objectType(node, name, source, { preserves, inside }) : anything(node, markers);
  }
}

/** Reports whether a schema accepts values of every type, null included. */
const isUntyped = (node: JsonObject, markers: Markers): boolean =>
  textOf(node, "type") === undefined && !saysTrue(node, markers.intOrString);

const anything = (node: JsonObject, markers: Markers): RuntimeType => (isAtomicMap(node, markers) ? WHOLE : ANY);

const isAtomicMap = (node: JsonObject, markers: Markers): boolean => node[markers.mapType] === "atomic";

function listType(node: JsonObject, name: string, source: TypeSource, preserved: Preserved): RuntimeType {
  const items = itemsOf(node);
  if (items === undefined) return WHOLE;
  const { markers } = source;
  const element = nodeType(items, `${name}.items`, source, preserved);
  const relation = relationOf(node, markers);
  const keys = relation === "map" ? namesOf(node, markers.listMapKeys) : [];
  return { kind: "list", element, relation, keys, nulls: nullsOf(items, source) };
}

function relationOf(node: JsonObject, markers: Markers): ListType["relation"] {
  const said = node[markers.listType];
  return said === "set" || said === "map" ? said : "atomic";
}

const VALUES: ItemNulls = { are: "values" };

function nullsOf(node: JsonObject, { keepsAll, markers }: TypeSource): ItemNulls {
  if (keepsAll || saysTrue(node, "nullable")) return VALUES;
  return hasDefault(node)
    ? { are: "absent", default: node["default"] as JsonValue }
    : { are: "absent", evenApplied: isUntyped(node, markers) };
}

function objectType(
  node: JsonObject,
  name: string,
  source: TypeSource,
  { preserves, inside }: { readonly preserves: boolean; readonly inside: Preserved },
): RuntimeType {
  const { markers, keepsAll } = source;
  const relation = isAtomicMap(node, markers) ? "atomic" : "granular";
  const keepsUnknownFields = keepsAll || preserves || node["additionalProperties"] === true;
  const leadsToDefault = source.leadsToDefault(node);
  const acceptsUnknownFields = inside !== "nowhere";
  const made = {
    name,
    relation,
    keepsUnknownFields,
    acceptsUnknownFields,
    leadsToDefault,
    validatesLater: true,
  } as const;
  if (saysTrue(node, markers.embeddedResource)) {
    return dynamicStruct({ ...made, isRoot: true, fields: () => resourceFields(node, name, source, inside) });
  }
  if (hasProperties(node)) return dynamicStruct({ ...made, fields: () => fieldsOf(node, name, source, inside) });
  const additional = additionalOf(node);
  if (additional !== undefined) {
    const value = nodeType(additional, `${name}.additionalProperties`, source, inside);
    return { kind: "map", key: STRING, value, relation, nulls: nullsOf(additional, source) };
  }
  if (keepsUnknownFields) return anything(node, markers);
  // An object without properties accepts every field.
  const isBare = node["additionalProperties"] === undefined;
  return dynamicStruct({ ...made, fields: [], acceptsUnknownFields: acceptsUnknownFields || isBare });
}
