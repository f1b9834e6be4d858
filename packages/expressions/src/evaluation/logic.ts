// `&&` and `||`: a deciding operand overrides errors of other operands.
import { EvaluationError } from "../values/evaluation-error";
import type { Frame, Step } from "./step";

/** Work of throwing and catching an error. */
const ERROR_STEPS = 100;

/**
 * Compiles `&&` or `||`.
 * @param decisive value of an operand that determines the result
 */
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

/** Evaluates a step, and returns an error as a value. Charges the work of catching it. */
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

/** Throws the first error. */
function thrown(...outcomes: readonly (boolean | EvaluationError)[]): never {
  throw outcomes.find((each) => typeof each !== "boolean");
}
