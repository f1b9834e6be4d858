// Function calls: of a function that is known at compile time, and of an overload chosen by the values.
import { CONSTANT } from "../cost/cost-model";
import { element, entry } from "../functions/operators";
import { optionalEntry } from "../functions/optionals";
import type { Overload } from "../functions/overload";
import { CelList, CelMap, type CelValue, OptionalValue } from "../values/cel-value";
import { fail } from "../values/evaluation-error";
import type { Argument, Step } from "./step";
import { type TypeTest, testOf } from "./value-type";

/**
 * Calls a known function.
 * @param steps work in addition to the cost, of a function with two parameters
 */
export function callOf({ call, cost: { run } }: Overload, args: readonly Argument[], steps: number): Step {
  const [one, other] = args;
  if (one !== undefined && other === undefined) {
    const { step: first } = one;
    if (run === CONSTANT.run) {
      return (frame) => {
        const a = first(frame);
        frame.budget.charge(1);
        return call(a, frame.budget);
      };
    }
    return (frame) => {
      const a = first(frame);
      frame.budget.charge(run(a));
      return call(a, frame.budget);
    };
  }
  if (one !== undefined && other !== undefined && args.length === 2) {
    const { step: first } = one;
    const { step: second } = other;
    return (frame) => {
      const a = first(frame);
      const b = second(frame);
      frame.budget.charge(run(a, b));
      frame.budget.step(steps);
      return call(a, b, frame.budget);
    };
  }
  return (frame) => {
    const values = args.map(({ step }) => step(frame));
    frame.budget.charge(run(...values));
    return call(...values, frame.budget);
  };
}

/** Calls the first overload whose parameters accept the values. */
export function choiceOf(candidates: readonly Overload[], args: readonly Argument[]): Step {
  const [one, other] = args;
  if (one !== undefined && other === undefined) return choiceOfOne(candidates, one);
  if (one !== undefined && other !== undefined && args.length === 2) return choiceOfTwo(candidates, one, other);
  const choices = candidates.map(({ params, call, cost }) => ({ tests: params.map(testOf), call, run: cost.run }));
  return (frame) => {
    const values = args.map(({ step }) => step(frame));
    for (const { tests, run, call } of choices) {
      frame.budget.step(1);
      if (!tests.every((test, index) => test(values[index] as CelValue))) continue;
      frame.budget.charge(run(...values));
      return call(...values, frame.budget);
    }
    return fail("no such overload");
  };
}

interface Choice extends Pick<Overload, "call"> {
  /** Tests of the parameters. */
  readonly first: TypeTest;
  readonly second: TypeTest;
  readonly run: Overload["cost"]["run"];
  /** Number of overloads tested up to this one. */
  readonly steps: number;
}

const choicesOf = (candidates: readonly Overload[]): readonly Choice[] =>
  candidates.map(({ params: [first, second], call, cost: { run } }, index) => {
    const [one, other] = [first, second].map((param) => (param === undefined ? ANY : testOf(param)));
    return { first: one as TypeTest, second: other as TypeTest, call, run, steps: index + 1 };
  });

const ANY: TypeTest = () => true;

function choiceOfOne(candidates: readonly Overload[], { step }: Argument): Step {
  const choices = choicesOf(candidates);
  return (frame) => {
    const value = step(frame);
    const { budget } = frame;
    for (let index = 0; index < choices.length; index += 1) {
      const { first, run, call, steps } = choices[index] as Choice;
      if (!first(value)) continue;
      budget.step(steps);
      budget.charge(run(value));
      return call(value, budget);
    }
    budget.step(candidates.length);
    return fail("no such overload");
  };
}

/** Excludes overloads that do not accept a literal argument at compile time. */
function choiceOfTwo(candidates: readonly Overload[], one: Argument, other: Argument): Step {
  const { literal: a } = one;
  const { literal: b } = other;
  const choices = choicesOf(candidates)
    .filter(({ first, second }) => (a === undefined || first(a)) && (b === undefined || second(b)))
    .map((choice) => ({
      ...choice,
      first: a === undefined ? choice.first : ANY,
      second: b === undefined ? choice.second : ANY,
    }));
  const [only] = choices;
  const all = candidates.length;
  if (only !== undefined && choices.length === 1 && b !== undefined) return choiceBeside(b, one.step, only, all);
  const { step: ofFirst } = one;
  const { step: ofSecond } = other;
  return (frame) => {
    const x = ofFirst(frame);
    const y = ofSecond(frame);
    const { budget } = frame;
    for (let index = 0; index < choices.length; index += 1) {
      const { first, second, run, call, steps } = choices[index] as Choice;
      if (!first(x) || !second(y)) continue;
      budget.step(steps);
      budget.charge(run(x, y));
      return call(x, y, budget);
    }
    budget.step(all);
    return fail("no such overload");
  };
}

/** Calls the only overload that accepts a literal as its second argument, as in `name.startsWith("a")`. */
function choiceBeside(b: CelValue, ofFirst: Step, { first, run, call, steps }: Choice, all: number): Step {
  return (frame) => {
    const a = ofFirst(frame);
    const { budget } = frame;
    if (!first(a)) {
      budget.step(all);
      return fail("no such overload");
    }
    budget.step(steps);
    budget.charge(run(a, b));
    return call(a, b, budget);
  };
}

/** Indexes a value whose type is not known at compile time; any number without a fraction is an index. */
export function indexOf([container, key]: readonly [Argument, Argument]): Step {
  return (frame) => {
    const on = container.step(frame);
    const index = key.step(frame);
    frame.budget.charge(1);
    if (on instanceof CelList) return element(on, index);
    if (on instanceof CelMap) return entry(on, index);
    return on instanceof OptionalValue ? optionalEntry(on, index) : fail("no such overload");
  };
}

export function orElse([{ step: first }, { step: second }]: readonly [Argument, Argument], isOptional: boolean): Step {
  return (frame) => {
    frame.budget.charge(1);
    const value = first(frame);
    // A value that is not an optional is returned itself, as in cel-go: existing policies rely on it.
    if (!(value instanceof OptionalValue)) return value;
    if (value.value === undefined) return second(frame);
    return isOptional ? value : value.value;
  };
}
