// What documents say of a custom resource: its schema, in one piece that is made in steps. Version 2 knows neither null as a value, nor logic, nor values of
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

/** Nodes of a step: about a millisecond. */
const NODES_A_STEP = 1000;

/** The schema of a whole object. @param read absent: objects hold anything */
export function publishedRoot(
  read: (() => JsonObject) | undefined,
  { markers, metadata }: PublishedSource,
): NonNullable<StructType["published"]> {
  return function* (version, reference) {
    const root = read?.();
    if (root === undefined || (version === "v2" && saysTrue(root, markers.preserveUnknownFields))) {
      const { description } = root ?? {};
      return {
        ...(description === undefined ? {} : { description }),
        type: "object",
        ...(root === undefined ? {} : { [markers.preserveUnknownFields]: true }),
      };
    }
    yield;
    const source = { markers, metadata, reference };
    const publication = new Publication(version, source);
    const model = publication.of(root);
    while (publication.go(NODES_A_STEP)) yield;
    return { ...model, properties: resourceProperties(model["properties"], source) };
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

/** Node by node, so that a large schema takes many steps: what is made of a node is there before what is in it. */
class Publication {
  private readonly pending: { readonly node: JsonObject; readonly said: JsonObject }[] = [];

  constructor(
    private readonly version: Version,
    private readonly source: Source,
  ) {}

  /** Filled as it goes on. */
  of(node: JsonObject): JsonObject {
    const said: JsonObject = {};
    this.pending.push({ node, said });
    return said;
  }

  /** @returns whether there is more */
  go(nodes: number): boolean {
    for (let left = nodes; left > 0; left -= 1) {
      const next = this.pending.pop();
      if (next === undefined) return false;
      this.say(next.node, next.said);
    }
    return this.pending.length > 0;
  }

  private say(node: JsonObject, said: JsonObject): void {
    const { version, source } = this;
    const { markers } = source;
    const keywords = plainOf(markers);
    // Of a large schema most nodes say little: what is not there is not looked for.
    for (const keyword in node) {
      const value = node[keyword];
      if (isSaid(value) && keywords.has(keyword)) said[keyword] = value as JsonValue;
    }
    const saysTooMuch =
      version === "v2" && (saysTrue(node, "nullable") || saysTrue(node, markers.preserveUnknownFields));
    if (saysTooMuch || (version === "v2" && saysTrue(node, markers.intOrString))) delete said["type"];
    if (version === "v3") this.sayMore(node, said);
    if (saysTooMuch) return;
    this.sayParts(node, said);
    if (saysTrue(node, markers.embeddedResource)) said["properties"] = resourceProperties(said["properties"], source);
  }

  /** What only version 3 knows. */
  private sayMore(node: JsonObject, said: JsonObject): void {
    for (const keyword of ["default", "nullable"])
      if (isSaid(node[keyword])) said[keyword] = node[keyword] as JsonValue;
    for (const keyword of LOGIC) {
      const nodes = node[keyword];
      if (Array.isArray(nodes) && nodes.length > 0) said[keyword] = nodes.filter(isObject).map((each) => this.of(each));
    }
    if (isObject(node["not"])) said["not"] = this.of(node["not"]);
  }

  private sayParts(node: JsonObject, said: JsonObject): void {
    const { items, additionalProperties: rest } = node;
    if (isObject(items)) said["items"] = this.of(items);
    if (isObject(rest)) said["additionalProperties"] = this.of(rest);
    else if (typeof rest === "boolean") said["additionalProperties"] = rest;
    const properties: JsonObject = {};
    for (const [name, child] of propertiesOf(node)) setMember(properties, name, this.of(child));
    if (Object.keys(properties).length > 0) said["properties"] = properties;
  }
}

const isSaid = (value: JsonValue | undefined): boolean =>
  value !== undefined &&
  value !== null &&
  value !== false &&
  value !== "" &&
  !(Array.isArray(value) && value.length === 0);
