// Compiles an accepted custom resource definition into the resource that the server serves.
import type { Features } from "@orch/apis";
import {
  compareVersionPriority,
  type GroupVersion,
  type ObjectConverter,
  type ResourceDefinition,
  type SelectableField,
  type ServedVersion,
  sameJson,
} from "@orch/machinery";
import type { EventLoopYielder } from "@orch/registry";
import type { JsonObject, JsonValue, Schema, Vocabulary } from "@orch/schema";
import { CustomVersion, type VersionParts } from "./custom-version";
import { type Definition, type DefinitionVersion, isUnchanged, type Names, nameOf } from "./definition";
import { memberNames } from "./json-path";
import { objectStrategy, type StrategyParts, statusOf } from "./object-strategy";
import type { RecentCosts } from "./recent-costs";
import { scaleOf } from "./scale";

export interface ConverterFactory {
  /** Returns the converter between the versions of a definition with a conversion webhook. */
  (definition: Definition): ObjectConverter;
  /** Closes the connections to webhooks. Absent: there are none. */
  close?(): void;
}

export interface CompileParts {
  readonly features: Features;
  readonly types: Schema;
  readonly vocabulary: Vocabulary;
  /** Converter for definitions with the conversion strategy Webhook. */
  readonly converterFor: ConverterFactory;
  /** Records the costs of conversion and rules. Absent: costs are not recorded. */
  readonly costs?: RecentCosts;
  /** Time slices of the event loop, shared by long tasks. */
  readonly loop: EventLoopYielder;
}

/** State of a definition that may change while the compiled resource stays in use. */
export interface ServingState {
  terminating: boolean;
}

/** Compiles a definition. @param names accepted names: see accepted-names.ts */
export function compileDefinition(
  definition: Definition,
  names: Names,
  state: ServingState,
  parts: CompileParts & { readonly contentKey?: string },
): ResourceDefinition {
  const { contentKey } = parts;
  const { spec } = definition;
  const { group } = spec;
  const { plural, kind, singular = kind.toLowerCase(), listKind = `${kind}List`, shortNames, categories } = names;
  const declared = [...(spec.versions ?? [])].sort((one, other) => compareVersionPriority(one.name, other.name));
  const made = versionsOf(declared, { definition, kind, ...parts });
  const versionNamed = (name: string) => made.get(name) as CustomVersion;
  const storage = declared.find((each) => each.storage) ?? declared[0];
  if (storage === undefined) throw new Error("the definition has no versions");
  const stored = versionNamed(storage.name);
  const isConverted = spec.conversion?.strategy === "Webhook";
  if (!isConverted) for (const each of declared) rewrite(versionNamed(each.name), each, { stored, storage });
  const rules: StrategyParts = {
    group,
    plural,
    storage: stored,
    versionOf: ({ version }: GroupVersion) => made.get(version) ?? stored,
    isTerminating: () => state.terminating,
  };
  const strategy = objectStrategy(rules);
  const versions = [...made.values()];
  return {
    group,
    plural,
    singular,
    kind,
    listKind,
    shortNames: shortNames ?? [],
    categories: categories ?? [],
    scope: spec.scope as ResourceDefinition["scope"],
    isCustom: true,
    ...(contentKey !== undefined && { contentKey }),
    prepare: ({ version }) => (made.get(version) ?? stored).prepare(),
    verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
    versions: declared.filter(({ served }) => served).map(({ name }) => versionNamed(name)),
    formerVersions: declared.filter(({ served }) => !served).map(({ name }) => versionNamed(name)),
    storage: stored,
    ...(isConverted && { converter: counted(definition, parts) }),
    strategy,
    subresources: {
      ...(versions.some(({ hasStatus }) => hasStatus) && { status: statusOf(rules) }),
      ...(versions.some(({ scale }) => scale !== undefined) && {
        scale: scaleOf({
          ...{ version: scaleVersion(parts.types), strategy, versionOf: rules.versionOf, storage: stored, versions },
          tracksOwners: parts.features.since("1.22"),
        }),
      }),
    },
    selectableFields: selectableFields(declared),
    strategicMerge: false,
    // Stored objects may have been written under an earlier spec.
    ...(isUnchanged(definition) ? {} : { renew: (object, { version }) => (made.get(version) ?? stored).take(object) }),
    deleteReturnsObject: false,
  };
}

/**
 * Compiles the versions. A function of its own: functions of one scope share what they capture, and those of the
 * resource would keep the parsed definition.
 */
const versionsOf = (declared: readonly DefinitionVersion[], parts: VersionParts): ReadonlyMap<string, CustomVersion> =>
  new Map(declared.map((each) => [each.name, new CustomVersion(each, parts)]));

function counted(definition: Definition, { converterFor, costs }: CompileParts): ObjectConverter {
  const converter = converterFor(definition);
  return costs?.counted(nameOf(definition), converter) ?? converter;
}

/**
 * Sets how objects are rewritten between versions. Versions with the same schema differ only in apiVersion; other
 * versions drop the fields unknown to their own schema.
 */
function rewrite(
  version: CustomVersion,
  declared: DefinitionVersion,
  { stored, storage }: { readonly stored: CustomVersion; readonly storage: DefinitionVersion },
): void {
  if (version === stored || sameSchema(declared, storage)) return;
  version.fromStorage = version.take;
  version.toStorage = stored.take;
}

const schemaOf = ({ schema }: DefinitionVersion) => (schema ?? {}) as unknown as JsonValue;

const sameSchema = (one: DefinitionVersion, other: DefinitionVersion): boolean =>
  sameJson(schemaOf(one), schemaOf(other));

function selectableFields(versions: readonly DefinitionVersion[]): Readonly<Record<string, SelectableField>> {
  const fields: Record<string, SelectableField> = {};
  for (const { selectableFields: declared, schema } of versions) {
    for (const { jsonPath } of declared ?? []) {
      const path = memberNames(jsonPath);
      if (path === undefined) continue;
      const type = typeAt(schema?.openAPIV3Schema as JsonObject | undefined, path);
      fields[path.join(".")] = { paths: [path], type, absent: "" };
    }
  }
  return fields;
}

function typeAt(schema: JsonObject | undefined, path: readonly string[]): SelectableField["type"] {
  let at: JsonObject | undefined = schema;
  for (const name of path) at = (at?.["properties"] as JsonObject | undefined)?.[name] as JsonObject | undefined;
  switch (at?.["type"]) {
    case "integer":
      return "number";
    case "boolean":
      return "boolean";
    default:
      return "string";
  }
}

const scales = new WeakMap<Schema, ServedVersion>();

function scaleVersion(types: Schema): ServedVersion {
  const known = scales.get(types);
  if (known !== undefined) return known;
  const type = types.objectType("autoscaling", "v1", "Scale");
  if (type === undefined) throw new Error("the schema has no Scale");
  const made = { group: "autoscaling", version: "v1", kind: "Scale", apiVersion: "autoscaling/v1", type };
  scales.set(types, made);
  return made;
}
