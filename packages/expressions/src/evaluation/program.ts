// A checked expression as functions that call one another. Each step is charged before it is taken.

import { element, entry, missing } from "../functions/operators";
import { optionalEntry } from "../functions/optionals";
import type { Overload } from "../functions/overload";
import type { Expression } from "../syntax/expression";
import type { CelType } from "../typing/cel-type";
import type { Checked } from "../typing/environment";
import {
  ArrayList,
  CelList,
  CelMap,
  type CelValue,
  DictionaryMap,
  mapKey,
  OptionalValue,
  TypeValue,
} from "../values/cel-value";
import { StructValue } from "../values/struct-value";
import { EvaluationError, fail } from "./evaluation-error";
import { foldOf } from "./fold";
import type { Step } from "./step";
import { isOf } from "./value-type";

/** Cost units of making a list or a map. Source: the field's cost rules. */
const LIST_COST = 10;
const MAP_COST = 30;
const STRUCT_COST = 40;
/** What it takes to throw an error and to catch it. */
const ERROR_STEPS = 100;

/** What it takes to read a time from its text. */
const TEXT_STEPS = 40;
const ELEMENT_STEPS = 2;
/** An entry of a large object is looked for in a table that is in no cache. */
const LOOKUP_STEPS = 10;

/** By name, the place of each variable that is known at some point. */
type Places = ReadonlyMap<string, number>;

/** @param variables the names of the variables, in the order of their slots */
export function programOf(checked: Checked, variables: readonly string[]): Step {
  const planner = new Planner(checked);
  return planner.plan(checked.expression, new Map(variables.map((name, place) => [`.${name}`, place])));
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

  private slot(place: number): Step {
    return ({ slots, budget }) => {
      budget.charge(1);
      return slots[place] as CelValue;
    };
  }

  /** A variable of the environment or a name of a type; undefined for a local one. */
  private reference(expression: Expression, places: Places): Step | undefined {
    const reference = this.checked.referenceOf(expression);
    if (reference === undefined) return undefined;
    if (reference.kind === "type") {
      const value = new TypeValue(reference.name);
      return () => value;
    }
    const place = places.get(`.${reference.name}`);
    return place === undefined ? () => fail(`undeclared reference to '${reference.name}'`) : this.slot(place);
  }

  private identifier(expression: Expression & { kind: "identifier" }, places: Places): Step {
    const reference = this.reference(expression, places);
    if (reference !== undefined) return reference;
    const place = places.get(expression.name);
    return place === undefined ? () => fail(`undeclared reference to '${expression.name}'`) : this.slot(place);
  }

  private select(expression: Expression & { kind: "select" }, places: Places): Step {
    const reference = this.reference(expression, places);
    if (reference !== undefined) return reference;
    const { field, mode } = expression;
    const operand = this.plan(expression.operand, places);
    if (mode === "presence") {
      return (frame) => {
        const on = operand(frame);
        frame.budget.step(2);
        if (on instanceof CelMap) return on.has(field);
        if (on instanceof OptionalValue) return optionalEntry(on, field).value !== undefined;
        return fail("no such overload");
      };
    }
    const steps = 1 + this.readingSteps(this.checked.typeOf(expression));
    return (frame) => {
      const on = operand(frame);
      frame.budget.charge(1);
      frame.budget.step(steps);
      if (mode === "optional" || on instanceof OptionalValue) return optionalEntry(on, field);
      if (!(on instanceof CelMap)) return fail("no such overload");
      const value = on.get(field);
      return value === undefined ? missing(field) : value;
    };
  }

  /** What is a text in the object is read each time an expression comes to it. */
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
    const { target, name } = expression;
    const isMethod = target !== undefined && !checked.isNamespaced(expression);
    const operands = isMethod ? [target, ...expression.args] : expression.args;
    const args = operands.map((operand) => this.plan(operand, places));
    const candidates = checked.candidatesOf(expression);
    if (candidates.length === 0) return () => fail(`no such overload: ${name}`);
    if (isMethod && (name === "or" || name === "orValue")) return orElse(args as [Step, Step], name === "or");
    const [only] = candidates;
    const isKnown =
      candidates.length === 1 &&
      checked.environment.mode === "checked" &&
      operands.every((operand) => checked.typeOf(operand).kind !== "dyn");
    if (only !== undefined && isKnown) {
      return callOf(
        only,
        args,
        name === "_[_]" || name === "@in" ? LOOKUP_STEPS + this.readingSteps(checked.typeOf(expression)) : 0,
      );
    }
    return name === "_[_]" ? indexOf(args as [Step, Step]) : choice(candidates, args);
  }

  private logic({ operator, operands }: Expression & { kind: "logic" }, places: Places): Step {
    const steps = operands.map((operand) => this.plan(operand, places));
    const decisive = operator === "||";
    return (frame) => {
      let error: EvaluationError | undefined;
      for (const step of steps) {
        try {
          const value = step(frame);
          if (value === decisive) return decisive;
          if (typeof value !== "boolean") error ??= new EvaluationError("no such overload");
        } catch (thrown) {
          if (!(thrown instanceof EvaluationError)) throw thrown;
          frame.budget.step(ERROR_STEPS);
          error ??= thrown;
        }
      }
      if (error !== undefined) throw error;
      return !decisive;
    };
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
    // Both names get a place of their own, though the second may be without a use.
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

/** A name that hides another still needs a place of its own: the other is back when the inner expression ends. */
function freePlace(places: Places, least: number): number {
  let place = least;
  for (const taken of places.values()) place = Math.max(place, taken + 1);
  return place;
}

function optionalOf(value: CelValue): CelValue | undefined {
  return value instanceof OptionalValue ? value.value : fail("no such overload");
}

function orElse([first, second]: readonly [Step, Step], isOptional: boolean): Step {
  return (frame) => {
    frame.budget.charge(1);
    const value = first(frame);
    // What is no optional is its own value, as in the field's engine: who writes policies relies on it.
    if (!(value instanceof OptionalValue)) return value;
    if (value.value === undefined) return second(frame);
    return isOptional ? value : value.value;
  };
}

function callOf({ call, cost }: Overload, args: readonly Step[], steps: number): Step {
  const [first, second] = args;
  const { run } = cost;
  if (first !== undefined && second === undefined) {
    return (frame) => {
      const a = first(frame);
      frame.budget.charge(run(a));
      return call(a, frame.budget);
    };
  }
  if (first !== undefined && second !== undefined && args.length === 2) {
    return (frame) => {
      const a = first(frame);
      const b = second(frame);
      frame.budget.charge(run(a, b));
      frame.budget.step(steps);
      return call(a, b, frame.budget);
    };
  }
  return (frame) => {
    const values = args.map((arg) => arg(frame));
    frame.budget.charge(run(...values));
    return call(...values, frame.budget);
  };
}

/** Of values whose types are not known, any number that is whole is an index. */
function indexOf([container, key]: readonly [Step, Step]): Step {
  return (frame) => {
    const on = container(frame);
    const index = key(frame);
    frame.budget.charge(1);
    if (on instanceof CelList) return element(on, index);
    if (on instanceof CelMap) return entry(on, index);
    return on instanceof OptionalValue ? optionalEntry(on, index) : fail("no such overload");
  };
}

/** Among several functions, the one whose parameters the values are of. */
function choice(candidates: readonly Overload[], args: readonly Step[]): Step {
  return (frame) => {
    const values = args.map((arg) => arg(frame));
    for (const { params, cost, call } of candidates) {
      frame.budget.step(1);
      if (!params.every((param, index) => isOf(values[index] as CelValue, param))) continue;
      frame.budget.charge(cost.run(...values));
      return call(...values, frame.budget);
    }
    return fail("no such overload");
  };
}
