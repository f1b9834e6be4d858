// Builds the functions that verbs call from the tables of rules. Paths are split here once, not per request.

import {
  type BuiltInRules,
  copyField,
  copyOf,
  type Dropper,
  dropperOf,
  fieldAt,
  fieldNames,
  objectAt,
  Place,
  Report,
  type RuleSettings,
  type SubresourceRules,
  sameValue,
  strictCheck,
} from "@orch/apis-model";
import {
  copyJson,
  type FieldSet,
  type GroupVersion,
  LEAF,
  NAME_RULES,
  type PrepareContext,
  type Strategy,
  type Subresource,
  standardFinalizers,
  tooLongText,
} from "@orch/machinery";
import {
  isInt64,
  isObject,
  type JsonObject,
  nextInteger,
  type ObjectType,
  type Vocabulary,
  zeroValue,
} from "@orch/schema";

import type { DeclaredValidation } from "./declared-validation";

export interface StrategyParts {
  readonly settings: RuleSettings;
  /** Source of the empty status; read at the first create. */
  readonly hub: { readonly type: ObjectType };
  /** Returns whether a version writes the status together with the object. */
  readonly ownsStatus: (version: GroupVersion) => boolean;
  readonly declared?: DeclaredValidation | undefined;
}

export function strategyOf(rules: BuiltInRules, parts: StrategyParts): Strategy {
  const { settings } = parts;
  const { vocabulary } = settings;
  const dropGated = dropperOf(rules.gated ?? {}, settings.features);
  const standard = rules.anyFinalizer ? {} : { standardFinalizers: standardFinalizers(vocabulary) };
  return {
    createOnUpdate: rules.createOnUpdate ?? false,
    unconditionalUpdate: rules.unconditionalUpdate ?? true,
    nameErrors: nameRule(rules, settings),
    ...standard,
    prepareForCreate: creation(rules, parts, dropGated),
    prepareForUpdate: change(rules, parts, dropGated),
    ...(rules.keepOnUpdate?.includes("status") && {
      resets: (through: GroupVersion) => (parts.ownsStatus(through) ? undefined : STATUS),
    }),
    ...validation(rules, settings, parts.declared),
    ...warningsOf(rules, settings),
    ...deletionOf(rules, vocabulary),
  };
}

function warningsOf({ warnings }: BuiltInRules, settings: RuleSettings): Pick<Strategy, "warnings"> {
  const { vocabulary, features } = settings;
  return warnings === undefined ? {} : { warnings: (object, old) => warnings(object, { vocabulary, features, old }) };
}

function deletionOf({ deletion }: BuiltInRules, vocabulary: Vocabulary): Pick<Strategy, "deletion"> {
  if (deletion === undefined) return {};
  return { deletion: typeof deletion === "function" ? deletion(vocabulary) : deletion };
}

function validation(rules: BuiltInRules, settings: RuleSettings, everyDeclared: DeclaredValidation | undefined) {
  const { validate, validateCreate, validateUpdate } = rules;
  const [first, declared] = rules.declared === "first" ? [everyDeclared] : [undefined, everyDeclared];
  const strict = strictRule(rules, settings);
  const strictErrors = strict ?? (() => []);
  return {
    ...((validate ?? first) && {
      validate: (object: JsonObject, version: GroupVersion, stored?: JsonObject) => {
        const errors = validate?.(object, { version, ...settings, stored }) ?? [];
        return first === undefined ? errors : [...first(object, stored, version), ...errors];
      },
    }),
    ...((validateCreate ?? strict ?? declared) && {
      validateCreate: (object: JsonObject, version: GroupVersion) => [
        ...strictErrors(object, undefined, version),
        ...(validateCreate?.(object, { version, ...settings }) ?? []),
        ...(declared?.(object, undefined, version) ?? []),
      ],
    }),
    ...((validateUpdate ?? strict ?? declared) && {
      validateUpdate: (object: JsonObject, old: JsonObject, version: GroupVersion) => [
        ...strictErrors(object, old, version),
        ...(validateUpdate?.(object, old, { version, ...settings, stored: old }) ?? []),
        ...(declared?.(object, old, version) ?? []),
      ],
    }),
  };
}

/** Builds the check of the formats that the release restricts. @returns undefined when it restricts none */
function strictRule({ strictFormats }: Pick<BuiltInRules, "strictFormats">, settings: RuleSettings) {
  const check = strictFormats && strictCheck(strictFormats, settings.features);
  if (check === undefined) return undefined;
  return (object: JsonObject, old: JsonObject | undefined, version: GroupVersion) => {
    const report = new Report({ version, ...settings });
    check(object, old, Place.ROOT, report);
    return report.errors;
  };
}

/** Builds a subresource from its rules. Writing one never increments the parent's generation. */
export function subresourceOf(
  rules: SubresourceRules,
  settings: RuleSettings,
  declared?: DeclaredValidation,
): Subresource {
  const { vocabulary, features } = settings;
  const kept = rules.keeps.map(fieldNames);
  const { validateUpdate, gate } = rules;
  const strict = strictRule(rules, settings);
  const dropGated = dropperOf(rules.gated ?? {}, features);
  return {
    ...(gate === undefined ? {} : { gate }),
    verbs: rules.verbs ?? ["get", "update", "patch"],
    resets: fieldSetOf(kept),
    prepareForUpdate: (object, old, request) => {
      if (rules.keepsMetadata) keepMetadata(object, old);
      for (const names of kept) copyField(object, old, names);
      copyField(object, old, GENERATION);
      dropGated?.(object, old);
      rules.update?.(object, old, { vocabulary, features, request });
    },
    ...((validateUpdate ?? strict ?? declared) && {
      validateUpdate: (object: JsonObject, old: JsonObject, version: GroupVersion) => [
        ...(strict?.(object, old, version) ?? []),
        ...(validateUpdate?.(object, old, { version, ...settings, stored: old }) ?? []),
        ...(declared?.(object, old, version) ?? []),
      ],
    }),
  };
}

const GENERATION = ["metadata", "generation"] as const;
const STATUS: FieldSet = { "f:status": LEAF };

/** Returns the set of the fields at some paths, none of which begins with another. */
function fieldSetOf(paths: readonly (readonly string[])[]): FieldSet {
  const set: Record<string, FieldSet> = {};
  for (const [first, ...rest] of paths) {
    if (first === undefined) continue;
    const element = `f:${first}`;
    set[element] = rest.length === 0 ? LEAF : { ...set[element], ...fieldSetOf([rest]) };
  }
  return set;
}

function nameRule(rules: BuiltInRules, { features }: RuleSettings): Strategy["nameErrors"] {
  const { nameFormat, relaxedNames, nameMaxCharacters: max } = rules;
  const isRelaxed = relaxedNames !== undefined && features.isOn(relaxedNames.gate);
  const rule = NAME_RULES[isRelaxed ? relaxedNames.format : nameFormat];
  if (max === undefined) return rule;
  return (name, asPrefix) => [...rule(name, asPrefix), ...(name.length > max ? [tooLongText(max)] : [])];
}

function creation(
  rules: BuiltInRules,
  { settings: { vocabulary, features }, hub, ownsStatus }: StrategyParts,
  dropGated: Dropper | undefined,
) {
  const { initialStatus, create, generationFrom } = rules;
  let status: JsonObject | undefined;
  return (object: JsonObject, request?: PrepareContext): void => {
    if (initialStatus !== undefined && !(request !== undefined && ownsStatus(request.version))) {
      status ??= { ...zeroStatus(hub.type), ...copyOf(initialStatus) };
      object["status"] = copyJson(status);
    }
    if (generationFrom !== undefined) objectAt(object, "metadata")["generation"] = 1;
    dropGated?.(object);
    create?.(object, { vocabulary, features, request });
  };
}

/** Returns the empty status: the fields that are always encoded. */
function zeroStatus({ struct }: ObjectType): JsonObject {
  const field = struct.fieldByName.get("status");
  return field === undefined ? {} : (zeroValue(field.type) as JsonObject);
}

function change(
  rules: BuiltInRules,
  { settings: { vocabulary, features }, ownsStatus }: StrategyParts,
  dropGated: Dropper | undefined,
) {
  const kept = (rules.keepOnUpdate ?? []).map(fieldNames);
  const keptBesideStatus = kept.filter(([first]) => first !== "status");
  const counted = (rules.generationFrom ?? []).map(fieldNames);
  const { update, generationOfDropped } = rules;
  const isChanged = (object: JsonObject, old: JsonObject) =>
    counted.some((names) => !sameValue(fieldAt(object, names), fieldAt(old, names)));
  return (object: JsonObject, old: JsonObject, request?: PrepareContext): void => {
    const whole = request !== undefined && ownsStatus(request.version);
    for (const names of whole ? keptBesideStatus : kept) copyField(object, old, names);
    copyField(object, old, GENERATION);
    const isChangedAsSent = generationOfDropped === true && isChanged(object, old);
    dropGated?.(object, old);
    update?.(object, old, { vocabulary, features, request });
    if (isChangedAsSent || isChanged(object, old)) countUp(object, old);
  };
}

function countUp(object: JsonObject, old: JsonObject): void {
  const generation = fieldAt(old, GENERATION);
  objectAt(object, "metadata")["generation"] = nextInteger(
    generation !== undefined && isInt64(generation) ? generation : 0,
  );
}

/** Keeps the stored metadata, except managedFields and resourceVersion. */
function keepMetadata(object: JsonObject, old: JsonObject): void {
  const { managedFields, resourceVersion } = objectAt(object, "metadata");
  const { managedFields: _, ...stored } = isObject(old["metadata"]) ? old["metadata"] : {};
  object["metadata"] = {
    ...stored,
    ...(managedFields === undefined ? {} : { managedFields }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}
