// The runtime types of a structural schema, by which decoding, defaults, apply and documents walk custom objects as they do built-in ones.
// Each struct makes its fields when first looked at. Source: facts, validation/apiextensions.md "Custom objects"; resource-api,
// "Merge-strategy markers".
import {
  type ItemNulls,
  type JsonObject,
  type JsonValue,
  type ListType,
  type MadeField,
  madeStruct,
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
  /** What the server itself reads of every object. */
  readonly metadata: StructType;
  /** Nothing is dropped anywhere, whatever the schema names. */
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
  /** What documents say of it. */
  readonly published: NonNullable<StructType["published"]>;
}

/** The type of a whole object. @param root looked at when the type's fields are */
export function rootType(root: () => JsonObject, { name, source, ...said }: RootParts): StructType {
  return madeStruct({
    name,
    isRoot: true,
    fields: () => resourceFields(root(), name, source),
    validatesLater: true,
    ...said,
  });
}

/** Of the metadata a definition may narrow what the server takes, but not say what it is. */
const resourceFields = (node: JsonObject, name: string, source: TypeSource): readonly MadeField[] => [
  { name: "metadata", type: source.metadata },
  ...fieldsOf(node, name, source).filter((field) => field.name !== "metadata"),
];

function fieldsOf(node: JsonObject, name: string, source: TypeSource): readonly MadeField[] {
  const required = new Set(namesOf(node, "required"));
  const fields: MadeField[] = [];
  for (const [property, child] of propertiesOf(node)) {
    fields.push({
      name: property,
      type: nodeType(child, `${name}.${property}`, source),
      required: required.has(property),
      nullable: source.keepsAll || saysTrue(child, "nullable"),
      ...(hasDefault(child) && { default: child["default"] as JsonValue }),
    });
  }
  return fields;
}

/**
 * Returns the type of the values of one node.
 * @param name of the structs in it, and below it
 * @param isPreserved whether the node describes the items of a list that preserves unknown fields: such a list passes the mark on to its
 *   items, through lists of lists; named properties and additional ones are pruned by their own schemas.
 *   Source: apiextensions-apiserver, pkg/apiserver/schema/pruning/algorithm.go
 */
export function nodeType(node: JsonObject, name: string, source: TypeSource, isPreserved = false): RuntimeType {
  const { markers } = source;
  const preserves = isPreserved || saysTrue(node, markers.preserveUnknownFields);
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
      return listType(node, name, source, preserves);
    case "object":
      return objectType(node, name, source, preserves);
    default:
      return hasProperties(node) ? objectType(node, name, source, preserves) : anything(node, markers);
  }
}

const anything = (node: JsonObject, markers: Markers): RuntimeType => (isAtomicMap(node, markers) ? WHOLE : ANY);

const isAtomicMap = (node: JsonObject, markers: Markers): boolean => node[markers.mapType] === "atomic";

function listType(node: JsonObject, name: string, source: TypeSource, preserves: boolean): RuntimeType {
  const items = itemsOf(node);
  if (items === undefined) return WHOLE;
  const { markers } = source;
  const element = nodeType(items, `${name}.items`, source, preserves);
  const relation = relationOf(node, markers);
  const keys = relation === "map" ? namesOf(node, markers.listMapKeys) : [];
  return { kind: "list", element, relation, keys, nulls: nullsOf(items, source) };
}

function relationOf(node: JsonObject, markers: Markers): ListType["relation"] {
  const said = node[markers.listType];
  return said === "set" || said === "map" ? said : "atomic";
}

const VALUES: ItemNulls = { are: "values" };

function nullsOf(node: JsonObject, { keepsAll }: TypeSource): ItemNulls {
  if (keepsAll || saysTrue(node, "nullable")) return VALUES;
  return hasDefault(node) ? { are: "absent", default: node["default"] as JsonValue } : { are: "absent" };
}

function objectType(node: JsonObject, name: string, source: TypeSource, preserves: boolean): RuntimeType {
  const { markers, keepsAll } = source;
  const relation = isAtomicMap(node, markers) ? "atomic" : "granular";
  const keepsUnknownFields = keepsAll || preserves || node["additionalProperties"] === true;
  const leadsToDefault = source.leadsToDefault(node);
  const made = { name, relation, keepsUnknownFields, leadsToDefault, validatesLater: true } as const;
  if (saysTrue(node, markers.embeddedResource)) {
    return madeStruct({ ...made, isRoot: true, fields: () => resourceFields(node, name, source) });
  }
  if (hasProperties(node)) return madeStruct({ ...made, fields: () => fieldsOf(node, name, source) });
  const additional = additionalOf(node);
  if (additional !== undefined) {
    const value = nodeType(additional, `${name}.additionalProperties`, source);
    return { kind: "map", key: STRING, value, relation, nulls: nullsOf(additional, source) };
  }
  return keepsUnknownFields ? anything(node, markers) : madeStruct({ ...made, fields: [] });
}
