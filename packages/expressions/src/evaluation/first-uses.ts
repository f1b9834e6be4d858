// What is kept between runs must not decide what a run costs: whether an object is valid would depend on what was asked before. So what
// is made for a text, as the program of a pattern, is paid for once in each run that uses it, whether it has to be made or not.
import type { Steps } from "../values/equality";

/** @param steps of the run */
export function payOnce(steps: Steps, key: string, price: number): void {
  steps.paid ??= new Set();
  if (steps.paid.has(key)) return;
  steps.step(price);
  steps.paid.add(key);
}
