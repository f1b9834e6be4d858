// Durations of compilations and evaluations, for metrics. The observer belongs to the process: expressions are compiled
// in many places that know no server.
import type { Step } from "./step";

export interface ExpressionTimings {
  compiled(seconds: number): void;
  evaluated(seconds: number): void;
}

let timings: ExpressionTimings | undefined;

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

/** Reports a compilation. @param sinceMs its start, of `performance.now()` */
export function tellCompiled(sinceMs: number): void {
  timings?.compiled((performance.now() - sinceMs) / 1000);
}

/** Returns a program that reports its evaluations, or the same program without an observer. */
export function timed(program: Step): Step {
  const observer = timings;
  if (observer === undefined) return program;
  return (frame) => {
    const sinceMs = performance.now();
    try {
      return program(frame);
    } finally {
      observer.evaluated((performance.now() - sinceMs) / 1000);
    }
  };
}
