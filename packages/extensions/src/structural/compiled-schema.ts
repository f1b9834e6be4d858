// A compiled version of a custom resource: the type of its objects and the checks of their content. Compilation is
// lazy: each part of the schema is compiled when the first value reaches it.
import { ERRORS_MAX, type FieldError, field } from "@orch/machinery";
import type { JsonObject, Schema, StructType, Vocabulary } from "@orch/schema";
import { CheckedNode } from "./checked-node";
import { contentErrors, type FieldErrors } from "./content-errors";
import { LeadingNodes } from "./leading-nodes";
import { metadataType } from "./metadata-type";
import type { RuleLanguage } from "./place-rules";
import { publishedRoot } from "./published-schema";
import { nodesWithRules, RuleTree } from "./rule-walk";
import { rootType } from "./runtime-types";
import { hasDefault, type Markers, saysTrue } from "./schema-node";
import { UnchangedValues } from "./unchanged-values";
import { stepsFor, Walk } from "./walk";

export interface CompileOptions {
  readonly vocabulary: Vocabulary;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Source of the metadata type. Absent: the schema of the vocabulary, of the newest release. */
  readonly types?: Schema;
  /** Absent: validation rules of the schema are not evaluated. */
  readonly rules?: RuleLanguage;
  /** Called for each object that was validated by rules. */
  readonly asked?: (spent: { readonly cost: number; readonly milliseconds: number }) => void;
  /** `spec.preserveUnknownFields` of the definition: no field is pruned. Default: false. */
  readonly preserveUnknownFields?: boolean;
  /** Whether unchanged values of an update are exempt from the schema and its rules. Default: false. */
  readonly ratchets?: boolean;
  /** Whether the formats of Kubernetes names are validated. Default: false. */
  readonly hasNameFormats?: boolean;
  /**
   * Whether errors of types, lengths and counts have kinds of their own, and rules are evaluated beside errors of other
   * kinds. Default: false.
   */
  readonly hasErrorKinds?: boolean;
}

export interface CompiledSchema {
  /**
   * Type of a whole object. Decoding with it prunes unknown fields and leaves values of a wrong type to `validate`.
   * Defaulting, merging and the OpenAPI documents use it as well.
   */
  readonly type: StructType;
  /**
   * Validates the content, not the metadata, of an object that was decoded by `type` and has its defaults.
   * @param update absent on create
   * @returns at most one error more than a response lists
   */
  validate(object: JsonObject, update?: SchemaUpdate): FieldErrors;
  /**
   * Compiles in advance everything that the first object would have to wait for, in steps between which the event loop
   * can run.
   */
  preparing(): Generator<undefined, void>;
}

/** An update of an object. */
export interface SchemaUpdate {
  /** The replaced object, decoded likewise. Duplicate list items that it has are tolerated. */
  readonly old: JsonObject;
  /** The update changes only the status: the schema of other members is not applied. Default: false. */
  readonly isStatus?: boolean | undefined;
  /** Called with the text of each rule that an exempt value violates. */
  readonly warn?: ((text: string) => void) | undefined;
}

/** A schema that is parsed on demand. */
export interface SchemaSource {
  /** The keywords of the root node without its subschemas. */
  readonly front: JsonObject;
  /** Returns the parsed schema, which must not be changed. May parse it again at each call. */
  readonly read: () => JsonObject;
  /** False: no member at any depth has the name. */
  readonly mayHave: (name: string) => boolean;
}

/** Returns the source of a parsed schema. */
export const readSchema = (schema: JsonObject): SchemaSource => ({
  front: frontOf(schema),
  read: () => schema,
  mayHave: () => true,
});

/** Returns the root node without its subschemas; see SchemaSource. */
export function frontOf(schema: JsonObject): JsonObject {
  const { properties: _, allOf: __, anyOf: ___, oneOf: ____, not: _____, ...front } = schema;
  return front;
}

/**
 * Compiles a schema lazily.
 * @param schema `openAPIV3Schema` of the definition, structural unless unknown fields are preserved; absent: any
 * content is valid
 */
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
    // OpenAPI documents are built rarely, from thousands of schemas. Building them does not keep the parsed schemas.
    published: publishedRoot(schema && (() => read ?? schema.read()), { markers, metadata, keepsAll }),
  });
  const validator = schema && new ContentValidator({ root, mayHave: schema.mayHave, markers, metadata }, options);
  return {
    type,
    validate: (object, update) => validator?.errors(object, update) ?? NONE,
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
    private readonly options: Pick<CompileOptions, "rules" | "asked" | "ratchets" | "hasNameFormats" | "hasErrorKinds">,
  ) {}

  errors(object: JsonObject, update: SchemaUpdate | undefined): FieldErrors {
    const { metadata, markers } = this.of;
    this.madeRoot ??= new CheckedNode(this.of.root(), {
      markers,
      hasNameFormats: this.options.hasNameFormats === true,
      hasErrorKinds: this.options.hasErrorKinds === true,
    });
    const ratchets = this.options.ratchets === true && update !== undefined;
    const unchanged = ratchets ? new UnchangedValues(markers) : undefined;
    const { old, isStatus = false } = update ?? {};
    const found = contentErrors(this.madeRoot, object, {
      ...{ old, metadata },
      ...(unchanged && { unchanged }),
      ...(isStatus && { member: "status" }),
    });
    if (found.length > 0) {
      if (this.options.hasErrorKinds !== true || this.options.rules === undefined || this.tree === undefined)
        return found;
      if (found.length > ERRORS_MAX || found.some(({ kind }) => BLOCKING.has(kind))) return [...found, UNCHECKED];
    }
    const broken = this.ruleErrors(object, old, unchanged && { unchanged, warn: update?.warn });
    return found.length === 0 ? broken : [...found, ...broken];
  }

  /** Evaluates rules. Called only for objects whose values have the types that rules rely on. */
  private ruleErrors(
    object: JsonObject,
    old: JsonObject | undefined,
    ratchet: { readonly unchanged: UnchangedValues; readonly warn: SchemaUpdate["warn"] } | undefined,
  ): FieldErrors {
    const { rules: language, asked } = this.options;
    if (language === undefined) return NONE;
    const { tree } = this;
    if (tree === undefined) return NONE;
    const walk = new Walk("", this.of.metadata, stepsFor(object), true);
    const budget = language.budget();
    const begun = asked === undefined ? 0 : performance.now();
    tree.check({ self: object, old }, walk, { language, budget, ...(ratchet && { ratchet }) });
    asked?.({ cost: budget.spent, milliseconds: performance.now() - begun });
    return walk.allErrors;
  }

  *preparing(): Generator<undefined, void> {
    const { rules: language } = this.options;
    const { root, markers } = this.of;
    if (language === undefined || this.madeTree !== undefined || !this.of.mayHave(markers.validations)) return;
    const leading = nodesWithRules(markers);
    yield* leading.looking(root());
    this.madeTree ??= RuleTree.of(root(), markers, { leading }) ?? "none";
    if (this.madeTree !== "none") yield* language.preparing(root());
  }

  private get tree(): RuleTree | undefined {
    const { root, mayHave, markers } = this.of;
    this.madeTree ??= (mayHave(markers.validations) ? RuleTree.of(root(), markers) : undefined) ?? "none";
    return this.madeTree === "none" ? undefined : this.madeTree;
  }
}

const NONE: FieldErrors = [];

/** Kinds of errors after which rules are not evaluated: their types and cost estimates rely on the schema. */
const BLOCKING: ReadonlySet<FieldError["kind"]> = new Set([
  "NotSupported",
  "Required",
  "TooLong",
  "TooMany",
  "TypeInvalid",
]);
const UNCHECKED = field.invalid(
  "<nil>",
  null,
  "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
);
