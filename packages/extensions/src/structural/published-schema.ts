// What documents say of a custom resource: its schema, in one piece that is made in steps. Version 2 knows neither null as a value, nor logic, nor values of
// several types; clients of it check objects against what it says, so that it says nothing where it would say too much.
import type { JsonObject, JsonValue, StructType } from "@orch/schema";
import { embeddedObjectFields, isObject, setMember, standardObjectFields } from "@orch/schema";
import { type Markers, namesOf, propertiesOf, propertyOf, saysTrue } from "./schema-node";

type Version = "v2" | "v3";

export interface PublishedSource {
  readonly markers: Markers;
  readonly metadata: StructType;
  /** The definition says that nothing is dropped. */
  readonly keepsAll: boolean;
}

/** Nodes of a step: about a millisecond. */
const NODES_A_STEP = 1000;

/**
 * The schema of a whole object. One that may hold unknown fields is an object in version 2, and nothing more: clients check objects against
 * the properties that a model names, and refuse all others. Source: apiextensions-apiserver, pkg/controller/openapi/builder/builder.go
 * @param read absent: objects hold anything
 */
export function publishedRoot(
  read: (() => JsonObject) | undefined,
  { markers, metadata, keepsAll }: PublishedSource,
): NonNullable<StructType["published"]> {
  return function* (version, reference) {
    const root = read?.();
    if (root === undefined || (version === "v2" && (keepsAll || saysTrue(root, markers.preserveUnknownFields)))) {
      return { type: "object" };
    }
    yield;
    const publication = new Publication(version, { markers, metadata: () => reference(metadata) });
    const model = publication.of(root);
    while (publication.go(NODES_A_STEP)) yield;
    return { ...model, properties: { ...membersOf(model), ...standardObjectFields(version, reference(metadata)) } };
  };
}

const membersOf = ({ properties }: JsonObject): JsonObject => (isObject(properties) ? properties : {});

interface Source {
  readonly markers: Markers;
  /** Refers to the model of the metadata. */
  readonly metadata: () => JsonObject;
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
    const keepsUnknown = saysTrue(node, markers.preserveUnknownFields);
    const saysTooMuch = version === "v2" && (saysTrue(node, "nullable") || keepsUnknown);
    if (saysTooMuch || (version === "v2" && saysTrue(node, markers.intOrString))) delete said["type"];
    if (version === "v3") this.sayMore(node, said);
    else requireNoNull(node, said);
    if (!saysTooMuch) this.sayParts(node, said);
    this.sayRest(node, said);
    if (saysTrue(node, markers.embeddedResource) && !(version === "v2" && keepsUnknown)) {
      said["properties"] = { ...membersOf(said), ...embeddedObjectFields(version, source.metadata()) };
      said["required"] = [...new Set([...namesOf(node, "required"), "kind", "apiVersion"])];
    }
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

  private sayRest({ additionalProperties: rest }: JsonObject, said: JsonObject): void {
    if (isObject(rest)) said["additionalProperties"] = this.of(rest);
    else if (typeof rest === "boolean") said["additionalProperties"] = rest;
  }

  private sayParts(node: JsonObject, said: JsonObject): void {
    const { items } = node;
    if (isObject(items)) said["items"] = this.of(items);
    const properties: JsonObject = {};
    for (const [name, child] of propertiesOf(node)) setMember(properties, name, this.of(child));
    if (Object.keys(properties).length > 0) said["properties"] = properties;
  }
}

/** Null stands for absent in version 2, so that what may be null is not required. */
function requireNoNull(node: JsonObject, said: JsonObject): void {
  const { additionalProperties: rest } = node;
  const required = namesOf(node, "required");
  if (required.length === 0) return;
  const kept = required.filter((name) => !saysTrue(propertyOf(node, name) ?? {}, "nullable"));
  if (kept.length === 0 || (isObject(rest) && saysTrue(rest, "nullable"))) delete said["required"];
  else said["required"] = kept;
}

const isSaid = (value: JsonValue | undefined): boolean =>
  value !== undefined &&
  value !== null &&
  value !== false &&
  value !== "" &&
  !(Array.isArray(value) && value.length === 0);
