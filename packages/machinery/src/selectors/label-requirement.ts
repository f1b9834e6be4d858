// A requirement on one label: the common form of both notations of a label selector.

export type LabelRequirement =
  | { readonly operator: "exists" | "!"; readonly key: string }
  | { readonly operator: "=" | "==" | "!=" | ">" | "<"; readonly key: string; readonly value: string }
  | { readonly operator: "in" | "notin"; readonly key: string; readonly values: readonly string[] };

/** Reports whether a text can be compared by `>` and `<`: a decimal 64-bit integer without a sign. */
export function isInteger(text: string): boolean {
  return /^\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

export const sortedSet = (values: readonly string[]): readonly string[] => [...new Set(values)].sort();
