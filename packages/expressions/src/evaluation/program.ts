// Compiles a checked expression to closures. Each step is charged before it is executed.

import type { Expression } from "../syntax/expression";
import type { Checked } from "../typing/environment";
import type { CelType } from "../values/cel-type";
import { ArrayList, type CelValue, DictionaryMap, mapKey, OptionalValue, TypeValue } from "../values/cel-value";
import { fail } from "../values/evaluation-error";
import { StructValue } from "../values/struct-value";
import { callOf, choiceOf, indexOf, orElse } from "./calls";
import { foldOf } from "./fold";
import { logicOf } from "./logic";
import { memberOf, type Path, type PathField, pathOf, presenceOf } from "./selections";
import { sizeComparisonOf } from "./size-comparison";
import type { Argument, Step } from "./step";
import { timed } from "./timings";

/** Cost units of creating a list, map or struct. Source: github.com/google/cel-go, checker/cost.go. */
const LIST_COST = 10;
const MAP_COST = 30;
const STRUCT_COST = 40;
/** Work of parsing a timestamp, duration or bytes from text. */
const TEXT_STEPS = 40;
const ELEMENT_STEPS = 2;
/** Work of looking up an entry of a large object, which is likely not in a CPU cache. */
const LOOKUP_STEPS = 10;

/** Slots by variable name. */
type Places = ReadonlyMap<string, number>;

/**
 * Compiles an expression.
 * @param variables names of the variables, in the order of their slots
 */
export function programOf(checked: Checked, variables: readonly string[]): Step {
  const planner = new Planner(checked);
  return timed(planner.plan(checked.expression, new Map(variables.map((name, place) => [`.${name}`, place]))));
}

class Planner {
  constructor(private readonly checked: Checked) {}

  plan(expression: Expression, places: Places): Step {
    switch (expression.kind) {
      case "literal": {
        const { value } = expression;
        return () => value;
      }
      case "identifier":
        return this.identifier(expression, places);
      case "select":
        return this.select(expression, places);
      case "call":
        return this.call(expression, places);
      case "logic":
        return this.logic(expression, places);
      case "conditional":
        return this.conditional(expression, places);
      case "list":
        return this.list(expression, places);
      case "map":
        return this.map(expression, places);
      case "struct":
        return this.struct(expression, places);
      case "fold":
        return this.fold(expression, places);
      case "bind":
        return this.bind(expression, places);
      case "optionalMap":
        return this.optionalMap(expression, places);
    }
  }

  /** Compiles a variable of the environment or a type name; undefined for a local variable. */
  private reference(expression: Expression, places: Places): Step | undefined {
    const reference = this.checked.referenceOf(expression);
    if (reference === undefined) return undefined;
    if (reference.kind === "type") {
      const value = new TypeValue(reference.name);
      return () => value;
    }
    const place = places.get(`.${reference.name}`);
    return place === undefined
      ? () => fail(`undeclared reference to '${reference.name}'`)
      : pathOf({ place, fields: [] });
  }

  private identifier(expression: Expression & { kind: "identifier" }, places: Places): Step {
    const reference = this.reference(expression, places);
    if (reference !== undefined) return reference;
    const place = places.get(expression.name);
    return place === undefined
      ? () => fail(`undeclared reference to '${expression.name}'`)
      : pathOf({ place, fields: [] });
  }

  private select(expression: Expression & { kind: "select" }, places: Places): Step {
    const reference = this.reference(expression, places);
    if (reference !== undefined) return reference;
    const { field, mode } = expression;
    if (mode === "presence") return presenceOf(this.pathOrStep(expression.operand, places), field, false);
    const path = this.path(expression, places);
    if (path !== undefined) return pathOf(path);
    return memberOf(this.plan(expression.operand, places), this.fieldOf(expression), mode === "optional");
  }

  /** Returns the path of consecutive selections that start with a variable; undefined for other expressions. */
  private path(expression: Expression, places: Places): Path | undefined {
    const reference = this.checked.referenceOf(expression);
    if (reference !== undefined || expression.kind === "identifier") {
      if (reference?.kind === "type") return undefined;
      const name = reference === undefined ? (expression as { name: string }).name : `.${reference.name}`;
      const place = places.get(name);
      return place === undefined ? undefined : { place, fields: [] };
    }
    if (expression.kind !== "select" || expression.mode !== "value") return undefined;
    const front = this.path(expression.operand, places);
    return front && { place: front.place, fields: [...front.fields, this.fieldOf(expression)] };
  }

  private pathOrStep(expression: Expression, places: Places): Path | Step {
    return this.path(expression, places) ?? this.plan(expression, places);
  }

  private fieldOf(expression: Expression & { kind: "select" }): PathField {
    return { name: expression.field, steps: 1 + this.readingSteps(this.checked.typeOf(expression)) };
  }

  /** Returns the work of reading a value that is stored as text and parsed on each access. */
  private readingSteps(type: CelType): number {
    switch (type.kind) {
      case "timestamp":
      case "duration":
      case "bytes":
        return TEXT_STEPS;
      case "optional":
        return this.readingSteps(type.of);
      default:
        return 0;
    }
  }

  private call(expression: Expression & { kind: "call" }, places: Places): Step {
    const { checked } = this;
    const { name } = expression;
    const operands = this.operandsOf(expression);
    const candidates = checked.candidatesOf(expression);
    if (candidates.length === 0) return () => fail(`no such overload: ${name}`);
    const [only] = candidates;
    const isKnown = candidates.length === 1 && this.areKnown(operands);
    const short = isKnown
      ? (this.absence(name, operands, places) ?? this.sizeComparison(name, operands, places))
      : undefined;
    if (short !== undefined) return short;
    const args = operands.map((operand) => this.argument(operand, places));
    const isMethod = operands.length > expression.args.length;
    if (isMethod && (name === "or" || name === "orValue")) return orElse(args as [Argument, Argument], name === "or");
    if (only !== undefined && isKnown) {
      const isLookup = name === "_[_]" || name === "@in";
      return callOf(only, args, isLookup ? LOOKUP_STEPS + this.readingSteps(checked.typeOf(expression)) : 0);
    }
    return name === "_[_]" ? indexOf(args as [Argument, Argument]) : choiceOf(candidates, args);
  }

  private operandsOf(expression: Expression & { kind: "call" }): readonly Expression[] {
    const { target, args } = expression;
    return target !== undefined && !this.checked.isNamespaced(expression) ? [target, ...args] : args;
  }

  private areKnown(operands: readonly Expression[]): boolean {
    const { checked } = this;
    return checked.environment.mode === "checked" && operands.every((each) => checked.typeOf(each).kind !== "dyn");
  }

  private argument(expression: Expression, places: Places): Argument {
    const step = this.plan(expression, places);
    return expression.kind === "literal" ? { step, literal: expression.value } : { step };
  }

  /** Compiles `!has(a.b)`; undefined for other calls. */
  private absence(name: string, [operand]: readonly Expression[], places: Places): Step | undefined {
    if (name !== "!_" || operand?.kind !== "select" || operand.mode !== "presence") return undefined;
    return presenceOf(this.pathOrStep(operand.operand, places), operand.field, true);
  }

  /** Compiles `size(x) < 3`; undefined for other calls. */
  private sizeComparison(name: string, [sized, bound]: readonly Expression[], places: Places): Step | undefined {
    if (sized?.kind !== "call" || sized.name !== "size" || bound?.kind !== "literal") return undefined;
    const [of, ...more] = this.operandsOf(sized);
    if (of === undefined || more.length > 0) return undefined;
    const candidates = this.checked.candidatesOf(sized);
    const isKnown = candidates.length === 1 && this.areKnown([of]);
    const comparison = sizeComparisonOf(name, candidates, { isKnown, bound: bound.value });
    return comparison?.(this.plan(of, places));
  }

  private logic({ operator, operands }: Expression & { kind: "logic" }, places: Places): Step {
    return logicOf(
      operands.map((operand) => this.plan(operand, places)),
      operator === "||",
    );
  }

  private conditional(expression: Expression & { kind: "conditional" }, places: Places): Step {
    const test = this.plan(expression.test, places);
    const yes = this.plan(expression.yes, places);
    const no = this.plan(expression.no, places);
    return (frame) => {
      const chosen = test(frame);
      if (typeof chosen !== "boolean") fail("no such overload");
      return chosen ? yes(frame) : no(frame);
    };
  }

  private list({ items }: Expression & { kind: "list" }, places: Places): Step {
    if (items.every(({ value, isOptional }) => value.kind === "literal" && !isOptional)) {
      const list = new ArrayList(items.map(({ value }) => (value.kind === "literal" ? value.value : null)));
      return ({ budget }) => {
        budget.charge(LIST_COST);
        return list;
      };
    }
    const steps = items.map(({ value, isOptional }) => ({ step: this.plan(value, places), isOptional }));
    return (frame) => {
      frame.budget.charge(LIST_COST);
      frame.budget.step(steps.length);
      const made: CelValue[] = [];
      for (const { step, isOptional } of steps) {
        const value = isOptional ? optionalOf(step(frame)) : step(frame);
        if (value !== undefined) made.push(value);
      }
      return new ArrayList(made);
    };
  }

  private map({ entries }: Expression & { kind: "map" }, places: Places): Step {
    const steps = entries.map(({ key, value, isOptional }) => ({
      key: this.plan(key, places),
      value: this.plan(value, places),
      isOptional,
    }));
    return (frame) => {
      frame.budget.charge(MAP_COST);
      frame.budget.step(steps.length);
      const made: [CelValue, CelValue][] = [];
      for (const { key, value, isOptional } of steps) {
        const of = key(frame);
        if (mapKey(of) === undefined || typeof of === "number") fail("unsupported key type");
        const entry = isOptional ? optionalOf(value(frame)) : value(frame);
        if (entry !== undefined) made.push([of, entry]);
      }
      return DictionaryMap.of(made) ?? fail("Failed with repeated key");
    };
  }

  private struct({ typeName, fields }: Expression & { kind: "struct" }, places: Places): Step {
    const name = typeName.replace(/^\./, "");
    if (this.checked.environment.structs?.(name) === undefined)
      return () => fail(`undeclared reference to '${typeName}' (in container '')`);
    const steps = fields.map((field) => ({ ...field, value: this.plan(field.value, places) }));
    return (frame) => {
      frame.budget.charge(STRUCT_COST);
      frame.budget.step(steps.length);
      const made = new Map<string, CelValue>();
      for (const { name: field, value, isOptional } of steps) {
        const given = isOptional ? optionalOf(value(frame)) : value(frame);
        if (given !== undefined) made.set(field, given);
      }
      return new StructValue(name, made);
    };
  }

  private fold(expression: Expression & { kind: "fold" }, places: Places): Step {
    const first = places.size;
    const inner = new Map(places);
    // Both variables have a slot, even when the second is unused.
    for (const [index, name] of expression.variables.entries()) inner.set(name, freePlace(inner, first + index));
    const range = this.plan(expression.range, places);
    const filter = expression.filter === undefined ? undefined : this.plan(expression.filter, inner);
    const body = this.plan(expression.body, inner);
    const at = expression.variables.map((name) => inner.get(name) as number);
    const over = this.checked.typeOf(expression.range);
    const steps =
      over.kind === "list" ? this.readingSteps(over.item) : over.kind === "map" ? this.readingSteps(over.value) : 0;
    return foldOf({ macro: expression.macro, range, filter, body, places: at, elementSteps: ELEMENT_STEPS + steps });
  }

  private bind({ name, value, body }: Expression & { kind: "bind" }, places: Places): Step {
    const inner = new Map(places);
    const place = freePlace(inner, places.size);
    inner.set(name, place);
    const bound = this.plan(value, places);
    const inside = this.plan(body, inner);
    return (frame) => {
      frame.budget.charge(LIST_COST);
      frame.slots[place] = bound(frame);
      return inside(frame);
    };
  }

  private optionalMap({ operand, name, body, isFlat }: Expression & { kind: "optionalMap" }, places: Places): Step {
    const inner = new Map(places);
    const place = freePlace(inner, places.size);
    inner.set(name, place);
    const optional = this.plan(operand, places);
    const mapped = this.plan(body, inner);
    return (frame) => {
      const value = optional(frame);
      if (!(value instanceof OptionalValue)) return fail("no such overload");
      if (value.value === undefined) return value;
      frame.slots[place] = value.value;
      const made = mapped(frame);
      if (!isFlat) return OptionalValue.of(made);
      return made instanceof OptionalValue ? made : fail("no such overload");
    };
  }
}

/**
 * Returns an unused slot. A variable that shadows another needs its own slot, because the outer one is visible again
 * after the inner expression.
 */
function freePlace(places: Places, least: number): number {
  let place = least;
  for (const taken of places.values()) place = Math.max(place, taken + 1);
  return place;
}

function optionalOf(value: CelValue): CelValue | undefined {
  return value instanceof OptionalValue ? value.value : fail("no such overload");
}
