// Charges for cached values. The cost of a run must not depend on the cache, because the validity of an object would
// then depend on earlier requests. A value derived from a text, such as a compiled pattern, is therefore charged once
// per run, whether it is cached or not.
import type { Steps } from "../values/equality";

/**
 * Charges a price once per run and key.
 * @param steps the run's counter
 */
export function payOnce(steps: Steps, key: string, price: number): void {
  steps.paid ??= new Set();
  if (steps.paid.has(key)) return;
  steps.step(price);
  steps.paid.add(key);
}
