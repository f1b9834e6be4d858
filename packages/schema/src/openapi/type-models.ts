// Converts the types of the schema to models of an OpenAPI document: each once, with all types that it references.
import { splitReference } from "../descriptor/descriptor-record";
import type { JsonObject, JsonValue } from "../json/json-value";
import type { Schema } from "../object-types/schema";
import type { EitherType, Field, PublishedModel, RuntimeType, StructType } from "../types/runtime-type";
import type { OpenapiVersion } from "./message-writer";
import { modelName } from "./model-names";

/** A kind as in requests. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface ModelChoice {
  /** Returns the kinds of a struct, by which clients look up models. */
  readonly kindsOf: (struct: StructType) => readonly GroupVersionKind[];
  /** Reports whether a field is published. */
  readonly shows: (field: Field) => boolean;
  /** Reports whether a model of this name exists already. Absent: none does. */
  readonly isThere?: ((model: string) => boolean) | undefined;
}

const REFERENCES: Readonly<Record<OpenapiVersion, string>> = { v2: "#/definitions/", v3: "#/components/schemas/" };

export class TypeModels {
  private readonly made = new Map<string, JsonObject>();
  /** Models that are referenced but not built yet. */
  private readonly awaited = new Map<string, () => JsonObject | Generator<undefined, JsonObject>>();

  constructor(
    private readonly schema: Schema,
    private readonly version: OpenapiVersion,
    private readonly choice: ModelChoice,
  ) {}

  /** Returns a schema that refers to the type's model, or the complete schema of a plain type. */
  reference(type: RuntimeType): JsonObject {
    switch (type.kind) {
      case "struct":
        return this.refer(type.name, () => this.structModel(type));
      case "list":
        return { type: "array", items: this.reference(type.element) };
      case "map":
        return { type: "object", additionalProperties: this.reference(type.value) };
      case "string":
        return type.values?.closed ? { type: "string", enum: [...type.values.values].sort() } : { type: "string" };
      case "boolean":
        return { type: "boolean" };
      case "integer":
        return { type: "integer", format: type.bits === 64 || type.unsigned ? "int64" : "int32" };
      case "number":
        return { type: "number", format: "double" };
      case "bytes":
        return { type: "string", format: "byte" };
      case "quantity":
        return this.special("resource.Quantity", this.oneOf(["string", "number"], {}));
      case "intOrString":
        return type.bits === 64 ? this.intOrString() : this.special("intstr.IntOrString", this.intOrString());
      case "time":
        return this.special("meta/v1.Time", { type: "string", format: "date-time" });
      case "microTime":
        return this.special("meta/v1.MicroTime", { type: "string", format: "date-time" });
      case "duration":
        return this.special("meta/v1.Duration", { type: "string" });
      case "object":
        return type.name === undefined ? this.unknownObject() : this.special(type.name, { type: "object" });
      case "any":
        return this.anything(type.name);
      case "either":
        return this.special(eitherName(type), {});
    }
  }

  /** Builds the next referenced model; undefined when none is missing. */
  next(): readonly [name: string, model: JsonObject] | undefined {
    const making = this.making();
    for (;;) {
      const { done, value } = making.next();
      if (done === true) return value;
    }
  }

  /** Builds the next referenced model in steps. */
  *making(): Generator<undefined, readonly [name: string, model: JsonObject] | undefined> {
    for (const [name, make] of this.awaited) {
      this.awaited.delete(name);
      const made = make();
      const model = isSteps(made) ? yield* made : made;
      this.made.set(name, model);
      return [name, model];
    }
    return undefined;
  }

  private refer(typeName: string, make: () => JsonObject | Generator<undefined, JsonObject>): JsonObject {
    const name = modelName(this.schema.vocabulary, typeName);
    if (!this.made.has(name) && !this.awaited.has(name) && this.choice.isThere?.(name) !== true)
      this.awaited.set(name, make);
    return { $ref: REFERENCES[this.version] + name };
  }

  private special(typeName: string, shape: JsonObject): JsonObject {
    return this.refer(typeName, () => ({ ...this.text(typeName), ...shape }));
  }

  private structModel(type: StructType): JsonObject | Generator<undefined, JsonObject> {
    const { schemaExtensions } = this.schema.vocabulary;
    const kinds = this.choice.kindsOf(type).map((kind): JsonObject => ({ ...kind }));
    if (type.published !== undefined) {
      return this.saidModel(type.published, kinds.length === 0 ? {} : { [schemaExtensions.groupVersionKind]: kinds });
    }
    const fields = type.fields.filter(this.choice.shows);
    const required = fields.filter((field) => field.required).map((field) => field.name);
    const unions = type.isUnion ? unionsOf(fields) : undefined;
    return {
      ...this.text(type.name),
      type: "object",
      ...(required.length === 0 ? {} : { required: required.sort() }),
      ...(fields.length === 0 ? {} : { properties: this.properties(type, fields) }),
      ...(type.relation === "atomic" ? { [schemaExtensions.mapType]: "atomic" } : {}),
      ...(type.keepsUnknownFields ? { [schemaExtensions.preserveUnknownFields]: true } : {}),
      ...(unions === undefined ? {} : { [schemaExtensions.unions]: unions }),
      ...(kinds.length === 0 ? {} : { [schemaExtensions.groupVersionKind]: kinds }),
    };
  }

  private *saidModel(published: PublishedModel, more: JsonObject): Generator<undefined, JsonObject> {
    return { ...(yield* published(this.version, (within) => this.reference(within))), ...more };
  }

  private properties(type: StructType, fields: readonly Field[]): JsonObject {
    const sorted = [...fields].sort((a, b) => (a.name < b.name ? -1 : 1));
    return Object.fromEntries(sorted.map((field) => [field.name, this.property(type, field)]));
  }

  private property(owner: StructType, field: Field): JsonObject {
    const said = {
      ...this.text(owner.name, field.name),
      ...(field.default === undefined ? {} : { default: field.default }),
      ...(field.nullable === true && this.version === "v3" ? { nullable: true } : {}),
      ...this.mergeMarkers(field),
    };
    const schema = this.reference(field.type);
    // In version 3 a reference has no siblings.
    if (this.version === "v2" || !("$ref" in schema)) return { ...said, ...schema };
    return Object.keys(said).length === 0 ? schema : { ...said, allOf: [schema] };
  }

  /**
   * Returns the extensions that describe how values are merged. Source: Kubernetes documentation, "Server-Side Apply",
   * "Merge strategy".
   */
  private mergeMarkers({ type, structRelation, publishedRelation, patchStrategies, patchMergeKey }: Field): JsonObject {
    const { schemaExtensions } = this.schema.vocabulary;
    const markers: JsonObject = {};
    if (type.kind === "bytes" && publishedRelation !== undefined)
      markers[schemaExtensions.listType] = publishedRelation;
    if (type.kind === "map" && publishedRelation !== undefined) markers[schemaExtensions.mapType] = publishedRelation;
    if (type.kind === "list" && type.isUnmarked !== true) markers[schemaExtensions.listType] = type.relation;
    if (type.kind === "list" && type.keys.length > 0) markers[schemaExtensions.listMapKeys] = [...type.keys];
    if (type.kind === "map" && type.relation === "atomic") markers[schemaExtensions.mapType] = "atomic";
    if (structRelation !== undefined) markers[schemaExtensions.mapType] = structRelation;
    if (patchMergeKey !== undefined) markers[schemaExtensions.patchMergeKey] = patchMergeKey;
    if (patchStrategies.length > 0) markers[schemaExtensions.patchStrategy] = patchStrategies.join(",");
    return markers;
  }

  private text(typeName: string, field?: string): { readonly description?: string } {
    const [file, name] = splitReference(typeName, "");
    const description = this.schema.description(file, name, field);
    return description === undefined ? {} : { description };
  }

  /**
   * Returns a schema of alternative types. Version 2 has one type per value, and Kubernetes clients display the first.
   */
  private oneOf(types: readonly [string, ...string[]], more: JsonObject): JsonObject {
    if (this.version === "v2") return { type: types[0], ...more };
    return { ...more, oneOf: types.map((type): JsonObject => ({ type })) };
  }

  private intOrString(): JsonObject {
    const marker = this.schema.vocabulary.schemaExtensions.intOrString;
    return this.oneOf(["string", "integer"], { format: "int-or-string", [marker]: true });
  }

  private anything(name: string | undefined): JsonObject {
    if (name === undefined) return this.unknownObject();
    // These types hold objects; others hold any value.
    return this.special(name, OBJECTS.has(name) ? { type: "object" } : {});
  }

  private unknownObject(): JsonObject {
    return { [this.schema.vocabulary.schemaExtensions.preserveUnknownFields]: true };
  }
}

const isSteps = (made: JsonObject | Generator<undefined, JsonObject>): made is Generator<undefined, JsonObject> =>
  Symbol.iterator in made;

const OBJECTS: ReadonlySet<string> = new Set(["runtime.RawExtension", "meta/v1.Patch"]);

function eitherName({ object, other }: EitherType): string {
  if (other.kind === "boolean") return `${object.name}OrBool`;
  const ofStrings = other.kind === "list" && other.element.kind === "string";
  return `${object.name}Or${ofStrings ? "StringArray" : "Array"}`;
}

/** Returns the extension of a union with a discriminator field. */
function unionsOf(fields: readonly Field[]): JsonValue | undefined {
  const discriminator = fields.find((field) => field.isUnionDiscriminator);
  if (discriminator === undefined) return undefined;
  const members = fields.filter((field) => field !== discriminator).map(({ name }) => [name, capitalized(name)]);
  return [{ discriminator: discriminator.name, "fields-to-discriminateBy": Object.fromEntries(members) }];
}

const capitalized = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
