// Selections of object fields and map entries by name. Most expressions consist mainly of selections, and their speed
// depends on the size of the compiled program, so short paths have closures of their own without lists of names.
import { missing } from "../functions/operators";
import { optionalEntry } from "../functions/optionals";
import { CelList, CelMap, type CelValue, OptionalValue } from "../values/cel-value";
import { fail } from "../values/evaluation-error";
import type { Step } from "./step";

/** A variable, and consecutive selections from it. */
export interface Path {
  readonly place: number;
  readonly fields: readonly PathField[];
}

export interface PathField {
  readonly name: string;
  /** Work of reading the field. */
  readonly steps: number;
}

const PRESENCE_STEPS = 2;

export function pathOf({ place, fields }: Path): Step {
  const [first, second] = fields;
  if (first === undefined) return variable(place);
  if (second === undefined) return fieldOf(place, first.name, first.steps);
  return fields.length === 2 ? fieldBelow(place, first, second) : fieldDeepBelow(place, fields);
}

function variable(place: number): Step {
  return ({ slots, budget }) => {
    budget.charge(1);
    return slots[place] as CelValue;
  };
}

function fieldOf(place: number, name: string, steps: number): Step {
  return ({ slots, budget }) => {
    budget.charge(2);
    budget.step(steps);
    return selected(slots[place] as CelValue, name);
  };
}

function fieldBelow(place: number, { name: above, steps: stepsAbove }: PathField, { name, steps }: PathField): Step {
  return ({ slots, budget }) => {
    budget.charge(2);
    budget.step(stepsAbove);
    const on = selected(slots[place] as CelValue, above);
    budget.charge(1);
    budget.step(steps);
    return selected(on, name);
  };
}

function fieldDeepBelow(place: number, fields: readonly PathField[]): Step {
  return ({ slots, budget }) => {
    budget.charge(1);
    let at = slots[place] as CelValue;
    for (let index = 0; index < fields.length; index += 1) {
      const { name, steps } = fields[index] as PathField;
      budget.charge(1);
      budget.step(steps);
      at = selected(at, name);
    }
    return at;
  };
}

/**
 * Selects a member.
 * @param isOptional returns an optional without a value when the member is absent
 */
export function memberOf(operand: Step, { name, steps }: PathField, isOptional: boolean): Step {
  return (frame) => {
    const on = operand(frame);
    frame.budget.charge(1);
    frame.budget.step(steps);
    return isOptional ? optionalEntry(on, name) : selected(on, name);
  };
}

/**
 * Tests the presence of a member.
 * @param on operand, as a path if possible
 * @param isNegated whether to compile `!has(…)`, which costs one more unit
 */
export function presenceOf(on: Path | Step, name: string, isNegated: boolean): Step {
  if (typeof on === "function") return presenceIn(on, name, isNegated);
  const [above] = on.fields;
  if (above === undefined) return presenceAt(on.place, name, isNegated);
  return on.fields.length === 1
    ? presenceBelow(on.place, above, name, isNegated)
    : presenceIn(pathOf(on), name, isNegated);
}

function presenceIn(operand: Step, name: string, isNegated: boolean): Step {
  return (frame) => {
    const on = operand(frame);
    frame.budget.step(PRESENCE_STEPS);
    const is = isPresent(on, name);
    if (!isNegated) return is;
    frame.budget.charge(1);
    return !is;
  };
}

function presenceAt(place: number, name: string, isNegated: boolean): Step {
  return ({ slots, budget }) => {
    budget.charge(1);
    budget.step(PRESENCE_STEPS);
    const is = isPresent(slots[place] as CelValue, name);
    if (!isNegated) return is;
    budget.charge(1);
    return !is;
  };
}

function presenceBelow(place: number, { name: above, steps }: PathField, name: string, isNegated: boolean): Step {
  return ({ slots, budget }) => {
    budget.charge(2);
    budget.step(steps);
    const on = selected(slots[place] as CelValue, above);
    budget.step(PRESENCE_STEPS);
    const is = isPresent(on, name);
    if (!isNegated) return is;
    budget.charge(1);
    return !is;
  };
}

/** Returns false for a value without members, such as null, as cel-go does. */
function isPresent(on: CelValue, name: string): boolean {
  if (on instanceof CelMap) return on.has(name);
  if (on instanceof OptionalValue) return optionalEntry(on, name).value !== undefined;
  return on instanceof CelList ? fail("no such overload") : false;
}

function selected(on: CelValue, name: string): CelValue {
  if (on instanceof CelMap) {
    const value = on.get(name);
    return value === undefined ? missing(name) : value;
  }
  if (on instanceof OptionalValue) return optionalEntry(on, name);
  return on instanceof CelList ? fail("no such overload") : missing(name);
}
