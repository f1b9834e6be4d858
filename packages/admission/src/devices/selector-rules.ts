// Validation of device selectors in classes, claims and claim templates: reports expressions that do not compile or may
// cost too much. The kinds' own validation has no access to CEL. Source: validateCELSelector in
// pkg/apis/resource/validation/validation.go.
import { newExpressionLimit, type SelectorSite, selectorProblem } from "@orch/expressions";
import {
  type FieldError,
  field,
  ManyValuesError,
  type ResourceDefinition,
  sameJson,
  withAddedRules,
} from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue, memberOf, type Vocabulary } from "@orch/schema";

export interface SelectorRulesParts {
  /** Whether another thread takes long work; nothing here blocks the event loop then. */
  readonly hasElsewhere: boolean;
  readonly vocabulary: Vocabulary;
  /** Newest release whose functions new selectors may use. Absent: all functions. */
  readonly compatibility?: string | undefined;
  readonly site: SelectorSite;
}

/** Maximum length of an expression. Source: CELSelectorExpressionMaxLength in pkg/apis/resource/types.go. */
const EXPRESSION_MAX_BYTES = 10 * 1024;
/** Lists that are longer are refused by the kinds' own rules. */
const REQUESTS_MAX = 32;
const SELECTORS_MAX = 32;
const ALTERNATIVES_MAX = 8;

/** Maximum length of all expressions that are compiled in one go, in characters. They take a few milliseconds. */
const CHARACTERS_HERE = 4000;
const LONG_BYTES = 128 * 1024;

interface Selector {
  readonly path: string;
  readonly source: string;
}

type Finder = (object: JsonObject) => readonly Selector[];

/** Selectors of each kind. The specs of claims and templates are immutable, so that only new ones are checked. */
const FINDERS: Readonly<Record<string, { readonly find: Finder; readonly isMutable: boolean }>> = {
  deviceclasses: { find: ({ spec }) => selectorsIn(spec, "spec"), isMutable: true },
  resourceclaims: {
    find: ({ spec }) => requestsIn(member(spec, "devices"), "spec.devices"),
    isMutable: false,
  },
  resourceclaimtemplates: {
    find: ({ spec }) => requestsIn(member(member(spec, "spec"), "devices"), "spec.spec.devices"),
    isMutable: false,
  },
};

/** Adds these rules to the kinds of a group that have selectors. */
export function withSelectorRules(
  kind: ResourceDefinition,
  group: string,
  parts: SelectorRulesParts,
): ResourceDefinition {
  const finder = kind.group === group ? FINDERS[kind.plural] : undefined;
  if (finder === undefined) return kind;
  const { find, isMutable } = finder;
  return withAddedRules(kind, {
    longBytes: LONG_BYTES,
    create: (object) => problemsOf(find(object), parts),
    update: (object, old) =>
      isMutable && !sameJson(selectorsOf(object), selectorsOf(old)) ? problemsOf(find(object), parts, find(old)) : [],
  });
}

const member = (value: JsonValue | undefined, name: string): JsonValue | undefined =>
  isObject(value) ? memberOf(value, name) : undefined;

const selectorsOf = ({ spec }: JsonObject): JsonValue => member(spec, "selectors") ?? [];

function itemsOf(value: JsonValue | undefined, name: string, max: number): readonly JsonValue[] {
  const list = member(value, name);
  return Array.isArray(list) && list.length <= max ? list : [];
}

function requestsIn(devices: JsonValue | undefined, path: string): readonly Selector[] {
  return itemsOf(devices, "requests", REQUESTS_MAX).flatMap((request, position) => {
    const at = `${path}.requests[${position}]`;
    const alternatives = itemsOf(request, "firstAvailable", ALTERNATIVES_MAX);
    return [
      ...selectorsIn(member(request, "exactly"), `${at}.exactly`),
      ...alternatives.flatMap((each, nth) => selectorsIn(each, `${at}.firstAvailable[${nth}]`)),
    ];
  });
}

function selectorsIn(parent: JsonValue | undefined, path: string): readonly Selector[] {
  return itemsOf(parent, "selectors", SELECTORS_MAX).flatMap((selector, position) => {
    const cel = member(selector, "cel");
    if (!isObject(cel)) return [];
    const source = memberOf(cel, "expression");
    return [
      { path: `${path}.selectors[${position}].cel.expression`, source: typeof source === "string" ? source : "" },
    ];
  });
}

function problemsOf(
  selectors: readonly Selector[],
  { site, hasElsewhere, vocabulary, compatibility }: SelectorRulesParts,
  before: readonly Selector[] = [],
): FieldError[] {
  const stored = new Set(before.map(({ source }) => source.trim()));
  const limited = { ...site, limit: newExpressionLimit(compatibility, vocabulary, stored) };
  const known = new Map<string, ReturnType<typeof selectorProblem>>();
  const characters = selectors.reduce((sum, { source }) => sum + source.length, 0);
  if (hasElsewhere && characters > CHARACTERS_HERE) throw new ManyValuesError("long expressions must be compiled");
  return selectors.flatMap(({ path, source }) => {
    if (Buffer.byteLength(source) > EXPRESSION_MAX_BYTES) return field.tooLong(path, EXPRESSION_MAX_BYTES);
    if (!known.has(source)) known.set(source, selectorProblem(source, limited));
    const problem = known.get(source);
    if (problem === undefined) return [];
    return problem.kind === "invalid"
      ? field.invalid(path, source, problem.message)
      : field.forbidden(path, "too complex, exceeds cost limit");
  });
}
