// What documents say of a custom resource: its schema, in one piece. Version 2 knows neither null as a value, nor logic, nor values of
// several types; clients of it check objects against what it says, so that it says nothing where it would say too much.
import type { JsonObject, JsonValue, StructType } from "@orch/schema";
import { isObject, type RuntimeType, setMember } from "@orch/schema";
import { type Markers, propertiesOf, saysTrue } from "./schema-node";

type Version = "v2" | "v3";

export interface PublishedSource {
  readonly markers: Markers;
  readonly metadata: StructType;
}

type Reference = (type: RuntimeType) => JsonObject;

/** The schema of a whole object. @param read absent: objects hold anything */
export function publishedRoot(
  read: (() => JsonObject) | undefined,
  { markers, metadata }: PublishedSource,
): NonNullable<StructType["published"]> {
  return (version, reference) => {
    const root = read?.();
    if (root === undefined || (version === "v2" && saysTrue(root, markers.preserveUnknownFields))) {
      const { description } = root ?? {};
      return {
        ...(description === undefined ? {} : { description }),
        type: "object",
        ...(root === undefined ? {} : { [markers.preserveUnknownFields]: true }),
      };
    }
    const model = publishedNode(root, version, { markers, metadata, reference });
    return { ...model, properties: resourceProperties(model["properties"], { metadata, reference }) };
  };
}

interface Source extends PublishedSource {
  readonly reference: Reference;
}

const TYPE_META: Readonly<Record<string, JsonObject>> = {
  apiVersion: {
    type: "string",
    description: "The version of the API that this object is written in: its group and version.",
  },
  kind: { type: "string", description: "What kind of object this is." },
};

function resourceProperties(
  properties: JsonValue | undefined,
  { metadata, reference }: Pick<Source, "metadata" | "reference">,
): JsonObject {
  return { ...(isObject(properties) ? properties : {}), ...TYPE_META, metadata: reference(metadata) };
}

/** Keywords that say the same in both versions. */
const PLAIN: ReadonlySet<string> = new Set([
  "description",
  "type",
  "format",
  "title",
  "maximum",
  "exclusiveMaximum",
  "minimum",
  "exclusiveMinimum",
  "maxLength",
  "minLength",
  "pattern",
  "maxItems",
  "minItems",
  "uniqueItems",
  "multipleOf",
  "enum",
  "maxProperties",
  "minProperties",
  "required",
]);

const plain = new WeakMap<Markers, ReadonlySet<string>>();

/** With those that carry the product's name. */
function plainOf(markers: Markers): ReadonlySet<string> {
  const known = plain.get(markers);
  if (known !== undefined) return known;
  const { preserveUnknownFields, embeddedResource, intOrString, listType, listMapKeys, mapType, validations } = markers;
  const named = [preserveUnknownFields, embeddedResource, intOrString, listType, listMapKeys, mapType, validations];
  const made = new Set([...PLAIN, ...named]);
  plain.set(markers, made);
  return made;
}

const LOGIC = ["allOf", "anyOf", "oneOf"] as const;

function publishedNode(node: JsonObject, version: Version, source: Source): JsonObject {
  const { markers } = source;
  const said: JsonObject = {};
  const keywords = plainOf(markers);
  // Of a large schema most nodes say little: what is not there is not looked for.
  for (const keyword in node) {
    const value = node[keyword];
    if (isSaid(value) && keywords.has(keyword)) said[keyword] = value as JsonValue;
  }
  const saysTooMuch = version === "v2" && (saysTrue(node, "nullable") || saysTrue(node, markers.preserveUnknownFields));
  if (saysTooMuch || (version === "v2" && saysTrue(node, markers.intOrString))) delete said["type"];
  if (version === "v3") {
    for (const keyword of ["default", "nullable"])
      if (isSaid(node[keyword])) said[keyword] = node[keyword] as JsonValue;
    for (const keyword of LOGIC) {
      const nodes = node[keyword];
      if (Array.isArray(nodes) && nodes.length > 0) {
        said[keyword] = nodes.filter(isObject).map((each) => publishedNode(each, version, source));
      }
    }
    if (isObject(node["not"])) said["not"] = publishedNode(node["not"], version, source);
  }
  if (saysTooMuch) return said;
  const parts = publishedParts(node, version, source);
  return saysTrue(node, markers.embeddedResource)
    ? { ...said, ...parts, properties: resourceProperties(parts["properties"], source) }
    : { ...said, ...parts };
}

const isSaid = (value: JsonValue | undefined): boolean =>
  value !== undefined &&
  value !== null &&
  value !== false &&
  value !== "" &&
  !(Array.isArray(value) && value.length === 0);

function publishedParts(node: JsonObject, version: Version, source: Source): JsonObject {
  const parts: JsonObject = {};
  const { items, additionalProperties: rest } = node;
  if (isObject(items)) parts["items"] = publishedNode(items, version, source);
  if (isObject(rest)) parts["additionalProperties"] = publishedNode(rest, version, source);
  else if (typeof rest === "boolean") parts["additionalProperties"] = rest;
  const properties: JsonObject = {};
  for (const [name, child] of propertiesOf(node)) setMember(properties, name, publishedNode(child, version, source));
  if (Object.keys(properties).length > 0) parts["properties"] = properties;
  return parts;
}
