// What is kept between runs must not decide what a run costs: whether an object is valid would depend on what was asked before. So what
// is made for a text, as the program of a pattern, is paid for once in each run that uses it, whether it has to be made or not.
import type { Steps } from "../values/equality";

const uses = new WeakMap<Steps, Set<string>>();

/** @param steps of the run */
export function payOnce(steps: Steps, key: string, price: number): void {
  let known = uses.get(steps);
  if (known === undefined) {
    known = new Set();
    uses.set(steps, known);
  }
  if (known.has(key)) return;
  steps.step(price);
  known.add(key);
}
