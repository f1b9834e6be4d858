// A parsed expression. Macros are nodes of their own: a fold over a list costs what it visits, without the list
// concatenations of its expansion.
import type { CelValue } from "../values/cel-value";

export type Expression = { readonly at: number } & (
  | { readonly kind: "literal"; readonly value: CelValue }
  | { readonly kind: "identifier"; readonly name: string }
  | {
      readonly kind: "select";
      readonly operand: Expression;
      readonly field: string;
      readonly mode: "value" | "presence" | "optional";
      /** Position of the name when it is quoted by backticks. */
      readonly quotedAt?: number;
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
      /**
       * One variable: the element of a list or the key of a map. Two variables: index and element, or key and value.
       */
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
      /** Whether the body returns an optional itself. */
      readonly isFlat: boolean;
    }
);

export interface ListItem {
  readonly value: Expression;
  readonly isOptional: boolean;
}

export interface StructField {
  readonly name: string;
  /** Position of the colon, at which errors of the field are shown. */
  readonly colonAt: number;
  /** Position of the name when it is quoted by backticks. */
  readonly quotedAt?: number;
  readonly value: Expression;
  readonly isOptional: boolean;
}

export interface MapEntry {
  readonly key: Expression;
  readonly value: Expression;
  readonly isOptional: boolean;
}

export type FoldMacro = "all" | "exists" | "existsOne" | "list" | "map" | "mapEntry";

/** Returns the qualified name of a chain of selections, such as `a.b.c`. */
export function dottedName(expression: Expression): string | undefined {
  if (expression.kind === "identifier") return expression.name;
  if (expression.kind !== "select" || expression.mode !== "value") return undefined;
  const front = dottedName(expression.operand);
  return front === undefined ? undefined : `${front}.${expression.field}`;
}
