// What an expression is checked against, and what the check finds.
import type { FunctionTable } from "../functions/function-table";
import type { Overload } from "../functions/overload";
import type { Expression } from "../syntax/expression";
import type { CelType } from "./cel-type";

/** A type whose values an expression may make, by naming its fields: `Object.spec{replicas: 2}`. */
export interface StructDeclaration {
  readonly type: CelType;
  /** Undefined for a field that it does not have. */
  field(name: string): CelType | undefined;
}

export interface Environment {
  readonly functions: FunctionTable;
  /** By name, which may have dots. */
  readonly variables: ReadonlyMap<string, CelType>;
  /** By the type's name. Absent: none can be made. */
  readonly structs?: (typeName: string) => StructDeclaration | undefined;
  /** Elements of a literal list, and keys and values of a literal map, are of one type, as the field asks in rules. */
  readonly literals: "ofOneType" | "mixed";
  /** Without a check, what cannot be told here fails when it runs. */
  readonly mode: "checked" | "unchecked";
}

export interface Checked {
  readonly environment: Environment;
  readonly expression: Expression;
  readonly type: CelType;
  typeOf(expression: Expression): CelType;
  /** Of an identifier or a selection that names a variable, or a type. */
  referenceOf(expression: Expression): Reference | undefined;
  /** Of the environment, those that are used. */
  readonly variables: ReadonlySet<string>;
  candidatesOf(call: Expression): readonly Overload[];
  /** A call such as `math.abs(x)`: what stands before the name is part of it. */
  isNamespaced(call: Expression): boolean;
}

export type Reference =
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "type"; readonly name: string };
