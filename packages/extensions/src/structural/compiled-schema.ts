// A version of a custom resource as the server works with it: the type of its objects, and what is asked of their content. Made of the
// schema in its definition at next to no cost: every part of it is compiled when the first object comes to it.
import type { JsonObject, Schema, StructType, Vocabulary } from "@orch/schema";
import { CheckedNode } from "./checked-node";
import { contentErrors, type FieldErrors } from "./content-errors";
import { metadataType } from "./metadata-type";
import type { RuleLanguage } from "./place-rules";
import { publishedRoot } from "./published-schema";
import { RuleTree } from "./rule-walk";
import { rootType, typeSource } from "./runtime-types";
import type { Markers } from "./schema-node";
import { Walk } from "./walk";

export interface CompileOptions {
  readonly vocabulary: Vocabulary;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Where the type of metadata comes from. Absent: the record of the vocabulary, of the newest release. */
  readonly types?: Schema;
  /** Absent: rules that the schema has are not asked. */
  readonly rules?: RuleLanguage;
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
}

/** @param schema `openAPIV3Schema` of the definition, structural unless nothing is dropped; absent: objects hold anything. Not to be changed afterwards */
export function compileSchema(schema: JsonObject | undefined, options: CompileOptions): CompiledSchema {
  const { vocabulary, group, version, kind, rules, preserveUnknownFields = false } = options;
  const markers = vocabulary.schemaExtensions;
  const metadata = metadataType(vocabulary, options.types);
  const type = rootType(
    schema ?? {},
    `${group}/${version}.${kind}`,
    typeSource(schema ?? {}, { markers, metadata, keepsAll: preserveUnknownFields || schema === undefined }),
    publishedRoot(schema, { markers, metadata }),
  );
  const validator = new ContentValidator(schema, { markers, metadata }, rules);
  return { type, validate: (object, old) => validator.errors(object, old) };
}

class ContentValidator {
  private readonly root: CheckedNode;
  private madeTree: RuleTree | "none" | undefined;

  constructor(
    private readonly schema: JsonObject | undefined,
    private readonly of: { readonly markers: Markers; readonly metadata: StructType },
    private readonly rules: RuleLanguage | undefined,
  ) {
    this.root = new CheckedNode(schema ?? {}, of.markers);
  }

  errors(object: JsonObject, old: JsonObject | undefined): FieldErrors {
    if (this.schema === undefined) return NONE;
    const found = contentErrors(this.root, object, { old, metadata: this.of.metadata });
    return found.length > 0 ? found : this.ruleErrors(object, old);
  }

  /** Rules are written for objects that are what the schema says. */
  private ruleErrors(object: JsonObject, old: JsonObject | undefined): FieldErrors {
    const { rules: language } = this;
    if (language === undefined) return NONE;
    const { tree } = this;
    if (tree === undefined) return NONE;
    const walk = new Walk("", this.of.metadata);
    tree.check(object, old, walk, { language, budget: language.budget() });
    return walk.allErrors;
  }

  private get tree(): RuleTree | undefined {
    this.madeTree ??= RuleTree.of(this.schema ?? {}, this.of.markers) ?? "none";
    return this.madeTree === "none" ? undefined : this.madeTree;
  }
}

const NONE: FieldErrors = [];
