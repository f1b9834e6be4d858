// What policies note in the audit log, beside what they refuse. Source: the field's auditAnnotations.

export interface Noted {
  readonly policy: string;
  readonly key: string;
  readonly value: string;
}

/** Longer values are cut. */
const VALUE_MAX = 10 * 1024;

/** Under one key, what several bindings and parameters of a policy bring stands side by side, and each value once. */
export function annotationsOf(noted: readonly Noted[]): ReadonlyMap<string, string> {
  const values = new Map<string, Set<string>>();
  for (const { policy, key, value } of noted) {
    const under = `${policy}/${key}`;
    const known = values.get(under) ?? new Set();
    values.set(under, known.add(value.length > VALUE_MAX ? value.slice(0, VALUE_MAX) : value));
  }
  return new Map(Array.from(values, ([key, each]) => [key, [...each].join(", ")]));
}
