// A version of a custom resource as the server works with it: the type of its objects, and what is asked of their content. Made of the
// schema in its definition at next to no cost: every part of it is compiled when the first object comes to it.
import type { JsonObject, Schema, StructType, Vocabulary } from "@orch/schema";
import { CheckedNode } from "./checked-node";
import { contentErrors, type FieldErrors } from "./content-errors";
import { LeadingNodes } from "./leading-nodes";
import { metadataType } from "./metadata-type";
import type { RuleLanguage } from "./place-rules";
import { publishedRoot } from "./published-schema";
import { leadingToRules, RuleTree } from "./rule-walk";
import { rootType } from "./runtime-types";
import { hasDefault, type Markers, saysTrue } from "./schema-node";
import { stepsFor, Walk } from "./walk";

export interface CompileOptions {
  readonly vocabulary: Vocabulary;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Where the type of metadata comes from. Absent: the record of the vocabulary, of the newest release. */
  readonly types?: Schema;
  /** Absent: rules that the schema has are not asked. */
  readonly rules?: RuleLanguage;
  /** Told of each object that was held against rules. */
  readonly asked?: (spent: { readonly cost: number; readonly milliseconds: number }) => void;
  /** The definition says that nothing is dropped (`spec.preserveUnknownFields`). Default: no. */
  readonly preserveUnknownFields?: boolean;
}

export interface CompiledSchema {
  /**
   * Of a whole object. Decoding by it drops what the schema does not name, and leaves what is of another type than the schema says to
   * `validate`; defaults, merging and documents go by it as well.
   */
  readonly type: StructType;
  /**
   * What is wrong with the content of an object that was decoded by `type` and has its defaults; its metadata is not looked at.
   * @param old the object that it replaces, decoded likewise: lists that held an item twice already may go on doing so
   * @returns at most one more than an answer tells
   */
  validate(object: JsonObject, old?: JsonObject): FieldErrors;
  /** Makes ahead what takes long, of all that the first object would have to wait for, in steps between which the event loop may have its turn. */
  preparing(): Generator<undefined, void>;
}

/** A schema that need not be there yet. */
export interface SchemaSource {
  /** What it says of whole objects, without what it says of their parts. */
  readonly front: JsonObject;
  /** Made anew each time. Not to be changed afterwards */
  readonly read: () => JsonObject;
  /** False: no member in it, at any depth, has the name. */
  readonly mayHave: (name: string) => boolean;
}

/** One that is there. */
export const readSchema = (schema: JsonObject): SchemaSource => ({
  front: frontOf(schema),
  read: () => schema,
  mayHave: () => true,
});

/** See SchemaSource. */
export function frontOf(schema: JsonObject): JsonObject {
  const { properties: _, allOf: __, anyOf: ___, oneOf: ____, not: _____, ...front } = schema;
  return front;
}

/** @param schema `openAPIV3Schema` of the definition, structural unless nothing is dropped; absent: objects hold anything */
export function compileSchema(schema: SchemaSource | undefined, options: CompileOptions): CompiledSchema {
  const { vocabulary, group, version, kind, preserveUnknownFields = false } = options;
  const markers = vocabulary.schemaExtensions;
  const metadata = metadataType(vocabulary, options.types);
  const name = `${group}/${version}.${kind}`;
  const keepsAll = preserveUnknownFields || schema === undefined;
  let read: JsonObject | undefined;
  const root = (): JsonObject => {
    read ??= schema?.read() ?? {};
    return read;
  };
  const defaults = schema?.mayHave("default") === true ? new LeadingNodes(hasDefault) : undefined;
  const leadsToDefault = (node: JsonObject): boolean => defaults?.has(node) ?? false;
  const type = rootType(root, {
    name,
    source: { markers, metadata, keepsAll, leadsToDefault },
    keepsUnknownFields: keepsAll || saysTrue(schema?.front ?? {}, markers.preserveUnknownFields),
    // Documents are made now and then, of thousands of schemas: they leave none behind.
    published: publishedRoot(schema && (() => read ?? schema.read()), { markers, metadata, keepsAll }),
  });
  const validator = schema && new ContentValidator({ root, mayHave: schema.mayHave, markers, metadata }, options);
  return {
    type,
    validate: (object, old) => validator?.errors(object, old) ?? NONE,
    *preparing() {
      if (schema === undefined) return;
      const node = root();
      yield;
      if (defaults !== undefined) yield* defaults.looking(node);
      yield* (validator as ContentValidator).preparing();
    },
  };
}

class ContentValidator {
  private madeRoot: CheckedNode | undefined;
  private madeTree: RuleTree | "none" | undefined;

  constructor(
    private readonly of: {
      readonly root: () => JsonObject;
      readonly mayHave: SchemaSource["mayHave"];
      readonly markers: Markers;
      readonly metadata: StructType;
    },
    private readonly options: Pick<CompileOptions, "rules" | "asked">,
  ) {}

  errors(object: JsonObject, old: JsonObject | undefined): FieldErrors {
    this.madeRoot ??= new CheckedNode(this.of.root(), this.of.markers);
    const found = contentErrors(this.madeRoot, object, { old, metadata: this.of.metadata });
    return found.length > 0 ? found : this.ruleErrors(object, old);
  }

  /** Rules are written for objects that are what the schema says. */
  private ruleErrors(object: JsonObject, old: JsonObject | undefined): FieldErrors {
    const { rules: language, asked } = this.options;
    if (language === undefined) return NONE;
    const { tree } = this;
    if (tree === undefined) return NONE;
    const walk = new Walk("", this.of.metadata, stepsFor(object));
    const budget = language.budget();
    const begun = asked === undefined ? 0 : performance.now();
    tree.check(object, old, walk, { language, budget });
    asked?.({ cost: budget.spent, milliseconds: performance.now() - begun });
    return walk.allErrors;
  }

  *preparing(): Generator<undefined, void> {
    const { rules: language } = this.options;
    const { root, markers } = this.of;
    if (language === undefined || this.madeTree !== undefined || !this.of.mayHave(markers.validations)) return;
    const leading = leadingToRules(markers);
    yield* leading.looking(root());
    this.madeTree ??= RuleTree.of(root(), markers, leading) ?? "none";
    if (this.madeTree !== "none") yield* language.preparing(root());
  }

  private get tree(): RuleTree | undefined {
    const { root, mayHave, markers } = this.of;
    this.madeTree ??= (mayHave(markers.validations) ? RuleTree.of(root(), markers) : undefined) ?? "none";
    return this.madeTree === "none" ? undefined : this.madeTree;
  }
}

const NONE: FieldErrors = [];
