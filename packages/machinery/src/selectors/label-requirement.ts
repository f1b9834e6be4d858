// One condition on one label: what both spellings of a label selector come down to.

export type LabelRequirement =
  | { readonly operator: "exists" | "!"; readonly key: string }
  | { readonly operator: "=" | "==" | "!=" | ">" | "<"; readonly key: string; readonly value: string }
  | { readonly operator: "in" | "notin"; readonly key: string; readonly values: readonly string[] };

/** What `>` and `<` compare: a decimal integer of 64 bits; a label's value has no sign. */
export function isInteger(text: string): boolean {
  return /^\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

export const sortedSet = (values: readonly string[]): readonly string[] => [...new Set(values)].sort();
