// Reports the durations of compilations and evaluations to the observer of the process.
import { expressionTimings } from "@orch/machinery";
import type { Step } from "./step";

/** Reports a compilation. @param sinceMs its start, of `performance.now()` */
export function tellCompiled(sinceMs: number): void {
  expressionTimings()?.compiled((performance.now() - sinceMs) / 1000);
}

/** Returns a program that reports its evaluations, or the same program without an observer. */
export function timed(program: Step): Step {
  const observer = expressionTimings();
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
