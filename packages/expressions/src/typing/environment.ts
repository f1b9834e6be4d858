// Input and result of type checking.
import type { FunctionTable, Overload } from "../functions/overload";
import type { Expression } from "../syntax/expression";
import type { CelType } from "../values/cel-type";

/** A type whose values expressions can create with a struct literal: `Object.spec{replicas: 2}`. */
export interface StructDeclaration {
  readonly type: CelType;
  /** Returns the type of a field; undefined for an undeclared field. */
  field(name: string): CelType | undefined;
}

export interface Environment {
  readonly functions: FunctionTable;
  /** Types of variables by name, which may contain dots. */
  readonly variables: ReadonlyMap<string, CelType>;
  /** Returns the declaration of a type name. Absent: there are no struct literals. */
  readonly structs?: (typeName: string) => StructDeclaration | undefined;
  /**
   * Whether the elements of a list literal, and the keys and values of a map literal, must have one type, as Kubernetes
   * requires in rules.
   */
  readonly literals: "ofOneType" | "mixed";
  /** In unchecked mode type errors occur only at run time. */
  readonly mode: "checked" | "unchecked";
}

export interface Checked {
  readonly environment: Environment;
  readonly expression: Expression;
  readonly type: CelType;
  typeOf(expression: Expression): CelType;
  /** Returns the variable or type that an identifier or a selection refers to. */
  referenceOf(expression: Expression): Reference | undefined;
  /** Names of the environment's variables that the expression uses. */
  readonly variables: ReadonlySet<string>;
  candidatesOf(call: Expression): readonly Overload[];
  /** Reports whether the target of a call is part of the function's name, as in `math.abs(x)`. */
  isNamespaced(call: Expression): boolean;
}

export type Reference =
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "type"; readonly name: string };
