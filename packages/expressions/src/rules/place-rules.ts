// Compiled rules of a definition by location. Each rule is compiled once; checking the definition prepares the rules
// for its objects.
import { isObject, type JsonObject, memberOf, type Vocabulary } from "@orch/schema";
import type { ExpressionLimit } from "../functions/library";
import { type Markers, type SchemaType, SchemaTypes } from "../schema/schema-type";
import { type CompiledRule, type RuleProblem, ruleSteps } from "./compiled-rule";
import { type RuleText, readRule } from "./rule-text";

interface PlaceRule {
  readonly text: RuleText;
  readonly json: JsonObject;
  readonly compiled: CompiledRule | readonly RuleProblem[];
}

export interface RulesOfLocation {
  /** Undefined for a location whose values are not accessible to expressions. */
  readonly self: SchemaType | undefined;
  readonly rules: readonly PlaceRule[];
}

const PLACES_A_STEP = 200;
/** Maximum depth; deeper schemas are refused elsewhere. */
const DEPTH_MAX = 100;

export class DefinitionPlaces {
  readonly markers: Markers;
  private readonly types: SchemaTypes;
  private read = 0;
  private readonly known = new Map<JsonObject, RulesOfLocation>();

  /** @param limit absent: rules may use all functions */
  constructor(
    vocabulary: Vocabulary,
    private readonly limit?: ExpressionLimit,
  ) {
    this.markers = vocabulary.schemaExtensions;
    this.types = new SchemaTypes(this.markers);
  }

  /**
   * Returns the compiled rules of a location.
   * @returns undefined for a location without rules
   */
  at(node: JsonObject, isResource: boolean): RulesOfLocation | undefined {
    const steps = this.compiling(node, isResource);
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
    }
  }

  /** Compiles the rules of all locations of a schema in steps. */
  *preparing(schema: JsonObject): Generator<undefined, void> {
    yield* this.reading(schema, true);
    const open = [{ node: schema, isResource: true, depth: 0 }];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { node, isResource, depth } = next;
      yield* this.compiling(node, isResource);
      if (depth < DEPTH_MAX) for (const child of below(node)) open.push({ ...this.placeOf(child), depth: depth + 1 });
    }
  }

  private placeOf(node: JsonObject): { readonly node: JsonObject; readonly isResource: boolean } {
    return { node, isResource: memberOf(node, this.markers.embeddedResource) === true };
  }

  /**
   * Reads the types of a schema from its leaves up, some locations per step: reading the type of a location with
   * everything below it at once could take long.
   */
  *reading(node: JsonObject, isResource: boolean, depth = 0): Generator<undefined, void> {
    if (depth > DEPTH_MAX) return;
    for (const child of below(node)) yield* this.reading(child, this.placeOf(child).isResource, depth + 1);
    this.types.of(node, isResource);
    this.read += 1;
    if (this.read % PLACES_A_STEP === 0) yield;
  }

  /**
   * Compiles the rules of a location, in one or more steps per rule. The caller may yield to the event loop before each
   * step.
   */
  *compiling(node: JsonObject, isResource: boolean): Generator<undefined, RulesOfLocation | undefined> {
    const known = this.known.get(node);
    if (known !== undefined) return known;
    const rules = memberOf(node, this.markers.validations);
    if (!Array.isArray(rules) || rules.length === 0) return undefined;
    const self = this.types.of(node, isResource);
    const made: PlaceRule[] = [];
    for (const json of rules) {
      if (!isObject(json)) continue;
      const text = readRule(json);
      const compiled = self === undefined ? [] : yield* ruleSteps({ schema: node, self, limit: this.limit }, text);
      made.push({ text, json, compiled });
    }
    const place = { self, rules: made };
    this.known.set(node, place);
    return place;
  }
}

/** Returns the schemas directly below a node. */
function below(node: JsonObject): readonly JsonObject[] {
  const properties = memberOf(node, "properties");
  return [
    memberOf(node, "items"),
    memberOf(node, "additionalProperties"),
    ...(isObject(properties) ? Object.values(properties) : []),
  ].filter(isObject);
}
