// Macros. Source: github.com/google/cel-spec, doc/langdef.md, "Macros"; github.com/google/cel-go,
// ext/comprehensions.go, ext/bindings.go, ext/math.go and cel/library.go.
import type { Expression, FoldMacro } from "./expression";

interface Call {
  readonly at: number;
  readonly name: string;
  readonly target?: Expression;
  readonly args: readonly Expression[];
}

export class MacroError extends Error {
  constructor(
    readonly at: number,
    message: string,
  ) {
    super(message);
  }
}

interface FoldForm {
  readonly macro: FoldMacro;
  readonly variables: 1 | 2;
  readonly hasFilter: boolean;
  /** Whether the result contains the element itself. */
  readonly keepsElement?: true;
}

/** Macros by name and number of arguments. */
const FOLDS: Readonly<Record<string, FoldForm>> = {
  "all/2": { macro: "all", variables: 1, hasFilter: false },
  "all/3": { macro: "all", variables: 2, hasFilter: false },
  "exists/2": { macro: "exists", variables: 1, hasFilter: false },
  "exists/3": { macro: "exists", variables: 2, hasFilter: false },
  "exists_one/2": { macro: "existsOne", variables: 1, hasFilter: false },
  "existsOne/2": { macro: "existsOne", variables: 1, hasFilter: false },
  "exists_one/3": { macro: "existsOne", variables: 2, hasFilter: false },
  "existsOne/3": { macro: "existsOne", variables: 2, hasFilter: false },
  "map/2": { macro: "list", variables: 1, hasFilter: false },
  "map/3": { macro: "list", variables: 1, hasFilter: true },
  "filter/2": { macro: "list", variables: 1, hasFilter: true, keepsElement: true },
  "transformList/3": { macro: "list", variables: 2, hasFilter: false },
  "transformList/4": { macro: "list", variables: 2, hasFilter: true },
  "transformMap/3": { macro: "map", variables: 2, hasFilter: false },
  "transformMap/4": { macro: "map", variables: 2, hasFilter: true },
  "transformMapEntry/3": { macro: "mapEntry", variables: 2, hasFilter: false },
  "transformMapEntry/4": { macro: "mapEntry", variables: 2, hasFilter: true },
};

export function macroOf(call: Call): Expression | undefined {
  const { at, name, target, args } = call;
  if (target === undefined)
    return name === "has" && args.length === 1 ? presence(at, args[0] as Expression) : undefined;
  const form = `${name}/${args.length}`;
  const fold = Object.hasOwn(FOLDS, form) ? FOLDS[form] : undefined;
  if (fold !== undefined) return foldOf(fold, target, call);
  const [first, second, third] = args;
  if ((form === "optMap/2" || form === "optFlatMap/2") && first !== undefined && second !== undefined) {
    return {
      kind: "optionalMap",
      at,
      operand: target,
      name: variable(first),
      body: second,
      isFlat: name === "optFlatMap",
    };
  }
  if (form === "sortBy/2") return sorting(target, call);
  if (target.kind !== "identifier") return undefined;
  if (target.name === "cel" && form === "bind/3" && first && second && third) {
    return { kind: "bind", at, name: variable(first), value: second, body: third };
  }
  if (target.name === "math" && (name === "greatest" || name === "least")) return extreme(call);
  return undefined;
}

function presence(at: number, arg: Expression): Expression {
  if (arg.kind !== "select" || arg.mode === "presence") throw new MacroError(arg.at, "invalid argument to has() macro");
  if (arg.mode === "value") return { ...arg, at, mode: "presence" };
  // `has` of an optional selection tests whether it has a value.
  return { kind: "call", at, name: "hasValue", target: arg, args: [] };
}

function foldOf(
  { macro, variables, hasFilter, keepsElement }: FoldForm,
  range: Expression,
  { at, args }: Call,
): Expression {
  const names = args.slice(0, variables).map(variable);
  if (new Set(names).size < names.length) {
    throw new MacroError(args[1]?.at ?? at, `duplicate variable name: ${names[0]}`);
  }
  const rest = args.slice(variables);
  const filter = hasFilter ? rest[0] : undefined;
  const body = keepsElement
    ? ({ kind: "identifier", at, name: names[0] as string } as const)
    : (rest.at(-1) as Expression);
  return { kind: "fold", at, macro, range, variables: names, body, ...(filter === undefined ? {} : { filter }) };
}

/** Expands `list.sortBy(item, key)`: the list is evaluated once, and sorted by the list of its keys. */
function sorting(list: Expression, { at, args }: Call): Expression {
  const input = { kind: "identifier", at, name: SORT_INPUT } as const;
  const keys = foldOf({ macro: "list", variables: 1, hasFilter: false }, input, { at, name: "map", args });
  const body = { kind: "call", at, name: "@sortByAssociatedKeys", target: input, args: [keys] } as const;
  return { kind: "bind", at, name: SORT_INPUT, value: list, body };
}

/** Expressions cannot contain the name. */
const SORT_INPUT = "@sortInput";

/** Expands `math.greatest` and `math.least`, which take any number of arguments; more than two become a list. */
function extreme({ at, name, args }: Call): Expression {
  for (const arg of args) {
    const isNumber = arg.kind !== "literal" || /^(bigint|number|object)$/.test(typeof arg.value);
    const isOther = arg.kind === "map" || arg.kind === "struct" || (arg.kind === "list" && args.length > 1);
    if (!isNumber || (arg.kind === "literal" && arg.value === null) || isOther) {
      throw new MacroError(arg.at, `math.${name}() invalid argument value`);
    }
  }
  if (args.length === 0) throw new MacroError(at, `math.${name}() requires at least one argument`);
  if (args.length <= 2) return { kind: "call", at, name: `math.${name}`, args };
  const items = args.map((value) => ({ value, isOptional: false }));
  return { kind: "call", at, name: `math.${name}`, args: [{ kind: "list", at, items }] };
}

function variable(expression: Expression): string {
  if (expression.kind !== "identifier" || expression.name.startsWith(".")) {
    throw new MacroError(expression.at, "argument must be a simple name");
  }
  return expression.name;
}
