// Validates all rules of one version of a CustomResourceDefinition, and estimates their total cost. Each rule is
// compiled once, before the definition is accepted. A definition is refused when one rule, or all rules together,
// exceed the cost limit. Source: "Resource use by validation functions" in the Kubernetes documentation of
// CustomResourceDefinitions;
// staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go.
import { type FieldError, field, fieldPath } from "@orch/machinery";
import { isObject, type JsonObject, memberOf, type Vocabulary } from "@orch/schema";
import { type Markers, REQUEST_MAX } from "../schema/schema-type";
import { CompiledRule, type RuleProblem } from "./compiled-rule";
import { DefinitionPlaces } from "./place-rules";
import { textErrors } from "./rule-text";

/** Maximum cost units of one rule over all its locations in an object. */
const RULE_COST_MAX = 10_000_000;
/** Maximum cost units of all rules of a version. */
const DEFINITION_COST_MAX = 100_000_000;
/** Number of rules that are named when the total cost exceeds the limit. */
const NAMED_MAX = 4;

export interface DefinitionRules {
  readonly errors: readonly FieldError[];
  readonly count: number;
  /** Maximum cost units of all rules over one object; infinite when unbounded. */
  readonly estimatedCost: number;
}

/**
 * Compiles and checks all rules of one version.
 * @param schema a structural schema; other schemas are reported elsewhere and not passed
 * @param path path of the schema, such as `spec.validation.openAPIV3Schema`
 * @param places keeps the compiled rules for the objects of the definition
 */
export function checkDefinitionRules(
  schema: JsonObject,
  vocabulary: Vocabulary,
  path: string,
  places = new DefinitionPlaces(vocabulary),
): DefinitionRules {
  const steps = definitionRuleSteps(schema, path, places);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Checks the rules in steps, at least one per rule, because a schema of a megabyte has thousands of rules. */
export function* definitionRuleSteps(
  schema: JsonObject,
  path: string,
  places: DefinitionPlaces,
): Generator<undefined, DefinitionRules> {
  yield* places.reading(schema, true);
  const check = new DefinitionCheck(places);
  yield* check.visit(schema, { path, isResource: true, cardinality: 1, depth: 0 });
  return check.result(path);
}

interface Place {
  readonly path: string;
  readonly isResource: boolean;
  /** Maximum number of values of the location in one object; undefined when a list or map above it is unbounded. */
  readonly cardinality: number | undefined;
  /** Path of an ancestor list whose items cannot be correlated with the old object: there is no old value. */
  readonly uncorrelatable?: string;
  readonly depth: number;
}

/** Maximum depth; deeper schemas are refused elsewhere. */
const DEPTH_MAX = 100;

class DefinitionCheck {
  private readonly errors: FieldError[] = [];
  private readonly costs: { readonly path: string; readonly cost: number }[] = [];
  private readonly places: DefinitionPlaces;
  private readonly markers: Markers;
  private count = 0;

  constructor(places: DefinitionPlaces) {
    this.places = places;
    this.markers = places.markers;
  }

  result(path: string): DefinitionRules {
    const total = this.costs.reduce((sum, { cost }) => sum + cost, 0);
    if (total > DEFINITION_COST_MAX) {
      const named = this.costs
        .filter(({ cost }) => cost >= DEFINITION_COST_MAX / 100)
        .sort((a, b) => b.cost - a.cost)
        .slice(0, NAMED_MAX);
      for (const each of named) {
        this.errors.push(
          field.forbidden(
            each.path,
            "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
          ),
        );
      }
      const name = `${this.markers.validations} estimated rule cost total for entire OpenAPIv3 schema`;
      this.errors.push(field.forbidden(path, tooCostly(name, total / DEFINITION_COST_MAX)));
    }
    return { errors: this.errors, count: this.count, estimatedCost: total };
  }

  *visit(schema: JsonObject, place: Place): Generator<undefined, void> {
    if (place.depth > DEPTH_MAX) return;
    yield* this.rules(schema, place);
    const depth = place.depth + 1;
    const below = (
      child: unknown,
      of: Partial<Place> & { readonly path: string },
    ): Generator<undefined, void> | readonly [] => {
      if (!isObject(child)) return [];
      const isResource = memberOf(child, this.markers.embeddedResource) === true;
      return this.visit(child, { ...place, ...of, isResource, depth });
    };
    const properties = memberOf(schema, "properties");
    if (isObject(properties)) {
      const front = fieldPath.child(place.path, "properties");
      for (const [name, child] of Object.entries(properties)) yield* below(child, { path: fieldPath.key(front, name) });
    }
    const items = fieldPath.child(place.path, "items");
    const isAtomic = memberOf(schema, this.markers.listType) !== "map";
    yield* below(memberOf(schema, "items"), {
      path: items,
      cardinality: times(place.cardinality, memberOf(schema, "maxItems")),
      ...(isAtomic && place.uncorrelatable === undefined ? { uncorrelatable: items } : {}),
    });
    yield* below(memberOf(schema, "additionalProperties"), {
      path: fieldPath.child(place.path, "additionalProperties"),
      cardinality: times(place.cardinality, memberOf(schema, "maxProperties")),
    });
  }

  private *rules(schema: JsonObject, place: Place): Generator<undefined, void> {
    const of = yield* this.places.compiling(schema, place.isResource);
    const front = fieldPath.child(place.path, this.markers.validations);
    if (of !== undefined && of.self === undefined) {
      this.errors.push(field.internal(front, UNTYPED));
      return;
    }
    for (const [index, { text, json, compiled }] of (of?.rules ?? []).entries()) {
      const path = fieldPath.index(front, index);
      this.count += 1;
      this.errors.push(...textErrors(text, path));
      if (compiled instanceof CompiledRule)
        this.compiled(compiled, { path, place, leastBytes: of?.self?.leastBytes ?? 1 });
      else this.errors.push(...compiled.map((problem) => problemError(problem, { path, json })));
    }
  }

  private compiled(
    rule: CompiledRule,
    { path, place, leastBytes }: { path: string; place: Place; leastBytes: number },
  ): void {
    const cardinality = place.cardinality ?? Math.floor(REQUEST_MAX / (leastBytes + 1));
    for (const [part, name, each] of [
      ["rule", "estimated rule cost", rule.estimatedCost],
      ["messageExpression", "estimated messageExpression cost", rule.estimatedMessageCost],
    ] as const) {
      if (each === 0) continue;
      const cost = each * cardinality;
      const at = fieldPath.child(path, part);
      this.costs.push({ path: at, cost });
      if (cost > RULE_COST_MAX) this.errors.push(field.forbidden(at, tooCostly(name, cost / RULE_COST_MAX)));
    }
    if (!rule.usesOldSelf || place.uncorrelatable === undefined) return;
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelatable}`;
    this.errors.push(field.invalid(fieldPath.child(path, "rule"), rule.text.rule, detail));
  }
}

const UNTYPED =
  "failed to construct type information for the rules: a schema whose type is unknown has no type in the expression language";

function times(cardinality: number | undefined, max: unknown): number | undefined {
  const bound = typeof max === "number" || typeof max === "bigint" ? Math.max(0, Number(max)) : undefined;
  return cardinality === undefined || bound === undefined ? undefined : cardinality * bound;
}

function problemError({ part, message }: RuleProblem, { path, json }: { path: string; json: JsonObject }): FieldError {
  return field.invalid(fieldPath.child(path, part), memberOf(json, part), message);
}

/**
 * Returns the message for an exceeded cost limit.
 * @param factor ratio of the cost to the limit
 */
function tooCostly(name: string, factor: number): string {
  const shown = factor > 100 ? "more than 100x" : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  const mend =
    "try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared";
  return `${name} exceeds budget by factor of ${shown} (${mend})`;
}
