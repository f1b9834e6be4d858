// Observer of the durations of expressions, for metrics. It belongs to the process: expressions are compiled in many
// places that know no server. It is apart from the expression language, which no start loads.

export interface ExpressionTimings {
  compiled(seconds: number): void;
  evaluated(seconds: number): void;
}

let timings: ExpressionTimings | undefined;

/** Returns the observer of the process; undefined while nothing is measured. */
export const expressionTimings = (): ExpressionTimings | undefined => timings;

/**
 * Reports the durations of expressions that are compiled from now on.
 * @returns a function that ends the reports, unless another observer has taken over
 */
export function timeExpressions(observer: ExpressionTimings): () => void {
  timings = observer;
  return () => {
    if (timings === observer) timings = undefined;
  };
}
