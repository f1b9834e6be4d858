// An expression as it was parsed, with its macros as nodes of their own: a fold over a list costs what it visits, not what a chain of
// list concatenations would.
import type { CelValue } from "../values/cel-value";

export type Expression = { readonly at: number } & (
  | { readonly kind: "literal"; readonly value: CelValue }
  | { readonly kind: "identifier"; readonly name: string }
  | {
      readonly kind: "select";
      readonly operand: Expression;
      readonly field: string;
      readonly mode: "value" | "presence" | "optional";
    }
  | { readonly kind: "call"; readonly name: string; readonly target?: Expression; readonly args: readonly Expression[] }
  | { readonly kind: "logic"; readonly operator: "&&" | "||"; readonly operands: readonly Expression[] }
  | { readonly kind: "conditional"; readonly test: Expression; readonly yes: Expression; readonly no: Expression }
  | { readonly kind: "list"; readonly items: readonly ListItem[] }
  | { readonly kind: "map"; readonly entries: readonly MapEntry[] }
  | { readonly kind: "struct"; readonly typeName: string; readonly fields: readonly StructField[] }
  | {
      readonly kind: "fold";
      readonly macro: FoldMacro;
      readonly range: Expression;
      /** One: the element of a list, the key of a map. Two: index and element, key and value. */
      readonly variables: readonly string[];
      readonly filter?: Expression;
      readonly body: Expression;
    }
  | { readonly kind: "bind"; readonly name: string; readonly value: Expression; readonly body: Expression }
  | {
      readonly kind: "optionalMap";
      readonly operand: Expression;
      readonly name: string;
      readonly body: Expression;
      /** The body is itself an optional. */
      readonly isFlat: boolean;
    }
);

export interface ListItem {
  readonly value: Expression;
  readonly isOptional: boolean;
}

export interface StructField {
  readonly name: string;
  readonly value: Expression;
  readonly isOptional: boolean;
}

export interface MapEntry {
  readonly key: Expression;
  readonly value: Expression;
  readonly isOptional: boolean;
}

export type FoldMacro = "all" | "exists" | "existsOne" | "list" | "map" | "mapEntry";

/** The dotted name that a chain of selections spells, such as `a.b.c`. */
export function dottedName(expression: Expression): string | undefined {
  if (expression.kind === "identifier") return expression.name;
  if (expression.kind !== "select" || expression.mode !== "value") return undefined;
  const front = dottedName(expression.operand);
  return front === undefined ? undefined : `${front}.${expression.field}`;
}
