// One version of a custom resource. Its schema is read and compiled when the first object comes: of many definitions few are used, and of
// their versions one.
import { compareVersionPriority, type FieldError, type ServedVersion, type TableColumn } from "@orch/machinery";
import {
  type JsonObject,
  type ObjectType,
  readJson,
  type Schema,
  StructObjectType,
  type Vocabulary,
  writeJson,
} from "@orch/schema";
import { ExpressionRules } from "../rules";
import { type CompiledSchema, compileSchema, frontOf, type SchemaSource } from "../structural";
import { type Definition, type DefinitionVersion, nameOf } from "./definition";
import { printerColumns } from "./printer-columns";
import type { RecentCosts } from "./recent-costs";
import { type ScalePaths, scalePaths } from "./scale-paths";

export interface VersionParts {
  readonly definition: Definition;
  readonly kind: string;
  readonly types: Schema;
  readonly vocabulary: Vocabulary;
  readonly costs?: RecentCosts;
}

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

  constructor(version: DefinitionVersion, { definition, kind, types, vocabulary, costs }: VersionParts) {
    const { group, preserveUnknownFields = false } = definition.spec;
    this.group = group;
    this.version = version.name;
    this.kind = kind;
    this.apiVersion = `${group}/${version.name}`;
    this.columns = printerColumns(version.additionalPrinterColumns);
    this.fieldLabels = (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath.replace(/^\./, ""));
    this.hasStatus = version.subresources?.status !== undefined;
    this.scale = scalePaths(version.subresources?.scale);
    if (version.deprecated === true) this.deprecationWarning = warningOf(version, definition, kind);
    this.compiled = compileSchema(unread(version.schema?.openAPIV3Schema as JsonObject | undefined), {
      vocabulary,
      group,
      version: version.name,
      kind,
      preserveUnknownFields,
      types,
      rules: new ExpressionRules(vocabulary),
      ...(costs && {
        asked: ({ cost, milliseconds }) =>
          costs.add(nameOf(definition), { ruleObjects: 1, ruleCost: cost, ruleSeconds: milliseconds / 1000 }),
      }),
    });
    this.type = new StructObjectType(kind, this.compiled.type);
  }

  /** @param old absent on create; both in this version */
  validate(object: JsonObject, old: JsonObject | undefined): readonly FieldError[] {
    return this.compiled.validate(object, old);
  }

  /** What another version's objects are in this one: the same, without what this one does not know, and with what it fills in. */
  readonly take = (object: JsonObject): JsonObject => {
    const { value } = this.type.decode(object);
    this.type.applyDefaults(value);
    return value;
  };
}

/** As text it is outside of the heap, and a fraction of what it is once parsed. */
function unread(schema: JsonObject | undefined): SchemaSource | undefined {
  if (schema === undefined) return undefined;
  const text = Buffer.from(writeJson(schema));
  return { front: frontOf(schema), read: () => readJson(text.toString()) as JsonObject };
}

function warningOf({ name, deprecationWarning }: DefinitionVersion, { spec }: Definition, kind: string): string {
  if (deprecationWarning !== undefined) return deprecationWarning;
  const [newer] = (spec.versions ?? [])
    .filter((each) => each.served && each.deprecated !== true && compareVersionPriority(each.name, name) < 0)
    .map((each) => each.name)
    .sort(compareVersionPriority);
  const text = `${spec.group}/${name} ${kind} is deprecated`;
  return newer === undefined ? text : `${text}; use ${spec.group}/${newer} ${kind}`;
}
