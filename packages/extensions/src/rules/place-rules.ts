// The rules of a definition, compiled place by place, each once: whoever checks the definition leaves them ready for its objects.
import { isObject, type JsonObject, memberOf, type Vocabulary } from "@orch/schema";
import { type CompiledRule, compileRule, type RuleProblem } from "./compiled-rule";
import { type RuleText, readRule } from "./rule-text";
import { type Markers, type SchemaType, SchemaTypes } from "./schema/schema-type";

export interface PlaceRule {
  readonly text: RuleText;
  readonly json: JsonObject;
  readonly compiled: CompiledRule | readonly RuleProblem[];
}

export interface RulesOfPlace {
  /** Undefined for a place whose values expressions cannot see. */
  readonly self: SchemaType | undefined;
  readonly rules: readonly PlaceRule[];
}

const UNTYPED: readonly RuleProblem[] = [
  { part: "rule", message: "rules are not supported on a schema whose type is unknown" },
];

const PLACES_A_STEP = 200;
/** Deeper schemas are refused for their depth. */
const DEPTH_MAX = 100;

export class DefinitionPlaces {
  readonly markers: Markers;
  private readonly types: SchemaTypes;
  private read = 0;
  private readonly known = new Map<JsonObject, RulesOfPlace>();

  constructor(vocabulary: Vocabulary) {
    this.markers = vocabulary.schemaExtensions;
    this.types = new SchemaTypes(this.markers);
  }

  /** @returns undefined for a place that has no rules */
  at(node: JsonObject, isResource: boolean): RulesOfPlace | undefined {
    const steps = this.compiling(node, isResource);
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
    }
  }

  /** Reads the types of a schema from its leaves up, some places a step: the type of a place with all that is below is much at once. */
  *reading(node: JsonObject, isResource: boolean, depth = 0): Generator<void> {
    if (depth > DEPTH_MAX) return;
    const below = [memberOf(node, "items"), memberOf(node, "additionalProperties")];
    const properties = memberOf(node, "properties");
    if (isObject(properties)) below.push(...Object.values(properties));
    for (const child of below) {
      if (isObject(child))
        yield* this.reading(child, memberOf(child, this.markers.embeddedResource) === true, depth + 1);
    }
    this.types.of(node, isResource);
    this.read += 1;
    if (this.read % PLACES_A_STEP === 0) yield;
  }

  /** One step for each rule: between two, the event loop may have its turn. */
  *compiling(node: JsonObject, isResource: boolean): Generator<void, RulesOfPlace | undefined> {
    const known = this.known.get(node);
    if (known !== undefined) return known;
    const rules = memberOf(node, this.markers.validations);
    if (!Array.isArray(rules) || rules.length === 0) return undefined;
    const self = this.types.of(node, isResource);
    const made: PlaceRule[] = [];
    for (const json of rules) {
      if (!isObject(json)) continue;
      const text = readRule(json);
      made.push({ text, json, compiled: self === undefined ? UNTYPED : compileRule({ schema: node, self }, text) });
      yield;
    }
    const place = { self, rules: made };
    this.known.set(node, place);
    return place;
  }
}
