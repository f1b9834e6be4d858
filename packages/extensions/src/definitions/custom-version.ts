// One version of a custom resource. Its schema is parsed and compiled at the first object: most definitions, and most
// of their versions, are never used.

import type { Features } from "@orch/apis";
import { ExpressionRules } from "@orch/expressions";
import { compareVersionPriority, type FieldError, type ServedVersion, type TableColumn } from "@orch/machinery";
import type { EventLoopYielder } from "@orch/registry";
import {
  type JsonObject,
  type ObjectType,
  type RuntimeType,
  readJson,
  type Schema,
  StructObjectType,
  type Vocabulary,
  writeJson,
} from "@orch/schema";
import { type CompiledSchema, compileSchema, frontOf, type SchemaSource, type SchemaUpdate } from "../structural";
import { ERROR_KINDS_SINCE, NAME_FORMATS_SINCE } from "../structural/formats";
import { type Definition, type DefinitionVersion, nameOf } from "./definition";
import { PackedText } from "./packed-text";
import { printerColumns } from "./printer-columns";
import type { RecentCosts } from "./recent-costs";
import { type ScalePaths, scalePaths } from "./scale-paths";

export interface VersionParts {
  readonly definition: Definition;
  readonly kind: string;
  readonly types: Schema;
  readonly vocabulary: Vocabulary;
  readonly costs?: RecentCosts;
  readonly loop: EventLoopYielder;
  readonly features: Features;
}

/** Maximum length of a schema text that needs no preparation, when it has no rules. The first object compiles it. */
const SHORT_BYTES = 32 * 1024;

export class CustomVersion implements ServedVersion {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly apiVersion: string;
  readonly columns: readonly TableColumn[];
  readonly fieldLabels: readonly string[];
  readonly hasStatus: boolean;
  readonly scale: ScalePaths | undefined;
  readonly deprecationWarning?: string;
  toStorage?: (object: JsonObject) => JsonObject;
  fromStorage?: (object: JsonObject) => JsonObject;
  readonly type: ObjectType;
  private readonly compiled: CompiledSchema;
  private readonly loop: EventLoopYielder;
  private isPrepared: boolean;
  private preparing: Promise<void> | undefined;

  constructor(
    version: DefinitionVersion,
    { definition, kind, types, vocabulary, costs, loop, features }: VersionParts,
  ) {
    const { group, preserveUnknownFields = false } = definition.spec;
    this.group = group;
    this.version = version.name;
    this.kind = kind;
    this.apiVersion = `${group}/${version.name}`;
    this.columns = printerColumns(version.additionalPrinterColumns, vocabulary.name);
    this.fieldLabels = (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath.replace(/^\./, ""));
    this.hasStatus = version.subresources?.status !== undefined;
    this.scale = scalePaths(version.subresources?.scale);
    if (version.deprecated === true) this.deprecationWarning = warningOf(version, definition, kind);
    this.loop = loop;
    const { validations } = vocabulary.schemaExtensions;
    const schema = unread(version.schema?.openAPIV3Schema as JsonObject | undefined, ["default", validations]);
    this.isPrepared = schema === undefined || (schema.bytes <= SHORT_BYTES && !schema.mayHave(validations));
    this.compiled = compileSchema(schema, {
      vocabulary,
      group,
      version: version.name,
      kind,
      preserveUnknownFields,
      types,
      hasNameFormats: features.since(NAME_FORMATS_SINCE),
      hasErrorKinds: features.since(ERROR_KINDS_SINCE),
      ratchets: features.isOn("CRDValidationRatcheting"),
      rules: new ExpressionRules(vocabulary),
      ...(costs && { asked: costs.ofRules(nameOf(definition)) }),
    });
    this.type = new StructObjectType(kind, this.compiled.type);
  }

  /**
   * Prepares a version whose first object would otherwise block the event loop.
   * @returns undefined when nothing is to be prepared
   */
  prepare(): Promise<void> | undefined {
    if (this.isPrepared) return undefined;
    this.preparing ??= this.prepareNow().finally(() => {
      this.preparing = undefined;
    });
    return this.preparing;
  }

  private async prepareNow(): Promise<void> {
    const { loop } = this;
    const steps = this.compiled.preparing();
    do if (loop.isOver) await loop.next();
    while (steps.next().done !== true);
    this.isPrepared = true;
  }

  /** Type of whole objects. */
  get root(): RuntimeType {
    return this.compiled.type;
  }

  /** Validates an object. @param update absent on create; both objects are in this version */
  validate(object: JsonObject, update: SchemaUpdate | undefined): readonly FieldError[] {
    return this.compiled.validate(object, update);
  }

  /**
   * Converts an object of another version without a webhook: fields unknown to this version are pruned, and its
   * defaults are set.
   */
  readonly take = (object: JsonObject): JsonObject => {
    const { value } = this.type.decode(object);
    this.type.applyDefaults(value);
    return value;
  };
}

interface UnreadSchema extends SchemaSource {
  /** Length of the text. */
  readonly bytes: number;
}

/**
 * Keeps the schema as compressed text, outside the heap and a small fraction of the size of the parsed form. The
 * functions of the result are made by others, because functions of one scope share what they capture.
 * @param names member names that `mayHave` is asked for
 */
function unread(schema: JsonObject | undefined, names: readonly string[]): UnreadSchema | undefined {
  if (schema === undefined) return undefined;
  const text = Buffer.from(writeJson(schema));
  return {
    front: frontOf(schema),
    read: reader(new PackedText(text)),
    mayHave: memberSearch(text, names),
    bytes: text.length,
  };
}

const reader = (packed: PackedText) => (): JsonObject => readJson(packed.text()) as JsonObject;

function memberSearch(text: Buffer, names: readonly string[]): SchemaSource["mayHave"] {
  const absent = without(text, names);
  return (name) => !absent.includes(name);
}

const without = (text: Buffer, names: readonly string[]): readonly string[] =>
  names.filter((name) => !text.includes(`${JSON.stringify(name)}:`));

function warningOf({ name, deprecationWarning }: DefinitionVersion, { spec }: Definition, kind: string): string {
  if (deprecationWarning !== undefined) return deprecationWarning;
  const [newer] = (spec.versions ?? [])
    .filter((each) => each.served && each.deprecated !== true && compareVersionPriority(each.name, name) < 0)
    .map((each) => each.name)
    .sort(compareVersionPriority);
  const text = `${spec.group}/${name} ${kind} is deprecated`;
  return newer === undefined ? text : `${text}; use ${spec.group}/${newer} ${kind}`;
}
