// Builds the OpenAPI schemas of custom resources, in steps. OpenAPI v2 has no nullable values, no logic keywords and no
// unions of types. Its clients validate objects by it, so the schema omits what it could express only too strictly.
import type { JsonObject, JsonValue, StructType } from "@orch/schema";
import { embeddedObjectFields, isObject, setMember, standardObjectFields } from "@orch/schema";
import { type Markers, namesOf, propertiesOf, propertyOf, saysTrue } from "./schema-node";

type Version = "v2" | "v3";

export interface PublishedSource {
  readonly markers: Markers;
  readonly metadata: StructType;
  /** Unknown fields are preserved everywhere (`spec.preserveUnknownFields`). */
  readonly keepsAll: boolean;
}

/** Number of nodes per step: about a millisecond. */
const NODES_A_STEP = 1000;

/**
 * Builds the schema of a whole object. An object that may hold unknown fields is published in version 2 as a plain
 * object: clients check objects against the properties of a model and reject all others. Source:
 * staging/src/k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder/builder.go.
 * @param read absent: objects may have any content
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
  /** Returns the reference to the model of the metadata. */
  readonly metadata: () => JsonObject;
}

/** Keywords with the same meaning in both versions. */
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

/** Returns these keywords and those with the product's prefix. */
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

/**
 * Converts a schema node by node, so that a large schema takes many steps. The result of a node exists before those of
 * its children.
 */
class Publication {
  private readonly pending: { readonly node: JsonObject; readonly said: JsonObject }[] = [];

  constructor(
    private readonly version: Version,
    private readonly source: Source,
  ) {}

  /** Returns the result of a node, which is filled in later steps. */
  of(node: JsonObject): JsonObject {
    const said: JsonObject = {};
    this.pending.push({ node, said });
    return said;
  }

  /** Converts up to this number of nodes. @returns whether nodes are left */
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
    // Iterates over the keywords that are present: most nodes of a large schema have few.
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

  /** Adds the keywords known only to version 3. */
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

/** Removes nullable fields from `required`. In version 2 null counts as absent. */
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
