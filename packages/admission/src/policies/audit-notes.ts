// Audit annotations of validating admission policies. Source: KEP-3488, "CEL for Admission Control".

export interface Noted {
  readonly policy: string;
  readonly key: string;
  readonly value: string;
}

/** Maximum length of a value in characters. Longer values are cut. */
const VALUE_MAX = 10 * 1024;

/**
 * Collects the values per key. Values of several bindings and parameters of a policy are joined, and each value appears
 * once.
 */
export function annotationsOf(noted: readonly Noted[]): ReadonlyMap<string, string> {
  const values = new Map<string, Set<string>>();
  for (const { policy, key, value } of noted) {
    const under = `${policy}/${key}`;
    const known = values.get(under) ?? new Set();
    values.set(under, known.add(value.length > VALUE_MAX ? value.slice(0, VALUE_MAX) : value));
  }
  return new Map(Array.from(values, ([key, each]) => [key, [...each].join(", ")]));
}
