// `&&` and `||`: an operand that decides makes up for errors of others.
import { EvaluationError } from "./evaluation-error";
import type { Frame, Step } from "./step";

/** What it takes to throw an error and to catch it. */
export const ERROR_STEPS = 100;

/** @param decisive what one operand is enough for */
export function logicOf(operands: readonly Step[], decisive: boolean): Step {
  const [first, second] = operands;
  return first !== undefined && second !== undefined && operands.length === 2
    ? ofTwo(first, second, decisive)
    : ofMany(operands, decisive);
}

function ofTwo(first: Step, second: Step, decisive: boolean): Step {
  return (frame) => {
    const one = tried(first, frame);
    if (one === decisive) return decisive;
    const other = tried(second, frame);
    if (other === decisive) return decisive;
    return typeof one === "boolean" && typeof other === "boolean" ? !decisive : thrown(one, other);
  };
}

function ofMany(operands: readonly Step[], decisive: boolean): Step {
  return (frame) => {
    let error: boolean | EvaluationError = !decisive;
    for (let index = 0; index < operands.length; index += 1) {
      const value = tried(operands[index] as Step, frame);
      if (value === decisive) return decisive;
      if (typeof error === "boolean") error = value;
    }
    return typeof error === "boolean" ? !decisive : thrown(error);
  };
}

/** An error as a value, at what it takes to catch it. */
export function tried(step: Step, frame: Frame): boolean | EvaluationError {
  try {
    const value = step(frame);
    return typeof value === "boolean" ? value : new EvaluationError("no such overload");
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    frame.budget.step(ERROR_STEPS);
    return error;
  }
}

/** The first of them. */
function thrown(...outcomes: readonly (boolean | EvaluationError)[]): never {
  throw outcomes.find((each) => typeof each !== "boolean");
}
