// Type checker: determines the type of each part of an expression, and the overloads that its calls may resolve to.
// Source: github.com/google/cel-spec, doc/langdef.md, "Gradual Type Checking".

import type { Overload } from "../functions/overload";
import { dottedName, type Expression, type FoldMacro } from "../syntax/expression";
import { ExpressionError, type SourceProblem } from "../syntax/expression-error";
import { BOOL, type CelType, DYN, INT, listOf, mapOf, optionalOf, Substitution, typeText } from "../values/cel-type";
import type { CelValue } from "../values/cel-value";
import type { Checked, Environment, Reference } from "./environment";
import { cannotBe, hasDyn, isSame, noOverload, TYPE_NAMES, typeOfLiteral, undeclared } from "./known-types";

/** Maximum number of reported errors. An expression may contain thousands, and each is shown with its line. */
const PROBLEMS_MAX = 100;

const LITERALS_MAX = 50;

type Scope = { readonly name: string; readonly type: CelType; readonly outer: Scope } | undefined;
type Call = Expression & { kind: "call" };

/**
 * Checks an expression.
 * @throws ExpressionError with all errors
 */
export function check(source: string, expression: Expression, environment: Environment): Checked {
  const checker = new Checker(environment);
  const type = checker.check(expression, undefined);
  if (!environment.functions.hasAdditions && checker.problems.length === 0) checker.compareElements();
  if (checker.problems.length > 0 && environment.mode === "checked")
    throw new ExpressionError(source, checker.problems);
  return {
    environment,
    expression,
    type: checker.substitution.resolve(type, "dyn"),
    typeOf: (part) => checker.substitution.resolve(checker.types.get(part) ?? DYN, "dyn"),
    variables: new Set(
      [...checker.references.values()].filter(({ kind }) => kind === "variable").map(({ name }) => name),
    ),
    referenceOf: (part) => checker.references.get(part),
    candidatesOf: (call) => checker.candidates.get(call) ?? [],
    isNamespaced: (call) => checker.namespaced.has(call),
  };
}

class Checker {
  readonly problems: SourceProblem[] = [];
  readonly substitution = new Substitution();
  readonly types = new Map<Expression, CelType>();
  readonly references = new Map<Expression, Reference>();
  readonly candidates = new Map<Expression, readonly Overload[]>();
  readonly namespaced = new Set<Expression>();
  private readonly mixed = new Set<Expression>();
  private readonly elements: { readonly known: CelType; readonly type: CelType; readonly at: number }[] = [];
  private parameters = 0;
  private literals = 0;

  constructor(private readonly environment: Environment) {}

  check(expression: Expression, scope: Scope): CelType {
    const type = this.typeOf(expression, scope);
    this.types.set(expression, type);
    return type;
  }

  /**
   * Reports literals whose elements have a type that is only known at run time beside one that is known. Called after
   * the whole expression was checked without errors. Source: github.com/google/cel-go, cel/validator.go.
   */
  compareElements(): void {
    for (const { known, type, at } of this.elements) {
      const [wanted, found] = [known, type].map((each) => typeText(this.substitution.resolve(each, "dyn")));
      if (wanted !== found) this.problem(at, `expected type '${wanted}' but found '${found}'`);
    }
  }

  private problem(at: number, message: string): CelType {
    if (this.problems.length < PROBLEMS_MAX) this.problems.push({ at, message });
    return DYN;
  }

  private fresh(): CelType {
    this.parameters += 1;
    return { kind: "parameter", name: `$${this.parameters}` };
  }

  private typeOf(expression: Expression, scope: Scope): CelType {
    switch (expression.kind) {
      case "literal":
        return typeOfLiteral(expression.value);
      case "identifier":
        return this.identifier(expression, scope);
      case "select":
        return this.select(expression, scope);
      case "call":
        return this.call(expression, scope);
      case "logic":
        for (const operand of expression.operands) this.expectBool(operand, scope, `_${expression.operator}_`);
        return BOOL;
      case "conditional":
        return this.conditional(expression, scope);
      case "list":
        return this.list(expression, scope);
      case "map":
        return this.map(expression, scope);
      case "struct":
        return this.struct(expression, scope);
      case "fold":
        return this.fold(expression, scope);
      case "bind":
        if (!expression.name.startsWith("@") && !this.environment.functions.hasAdditions)
          this.problem(expression.at, undeclared("cel"));
        return this.check(expression.body, {
          name: expression.name,
          type: this.check(expression.value, scope),
          outer: scope,
        });
      case "optionalMap":
        return this.optionalMap(expression, scope);
    }
  }

  private expectBool(expression: Expression, scope: Scope, operator: string): void {
    const type = this.check(expression, scope);
    if (!this.substitution.assign(BOOL, type)) this.problem(expression.at, noOverload(operator, [this.shown(type)]));
  }

  private readonly shown = (type: CelType): CelType => this.substitution.resolve(type, "dyn");

  private local(name: string, scope: Scope): CelType | undefined {
    for (let at = scope; at !== undefined; at = at.outer) if (at.name === name) return at.type;
    return undefined;
  }

  private named(expression: Expression, name: string): CelType | undefined {
    const variable = this.environment.variables.get(name);
    if (variable !== undefined) {
      this.references.set(expression, { kind: "variable", name });
      return variable;
    }
    const type = Object.hasOwn(TYPE_NAMES, name) ? TYPE_NAMES[name] : undefined;
    if (type === undefined) return undefined;
    this.references.set(expression, { kind: "type", name });
    return { kind: "type", of: type };
  }

  private identifier(expression: Expression & { kind: "identifier" }, scope: Scope): CelType {
    const { name, at } = expression;
    if (!name.startsWith(".")) {
      const local = this.local(name, scope);
      if (local !== undefined) return local;
    }
    return this.named(expression, name.replace(/^\./, "")) ?? this.problem(at, undeclared(name));
  }

  private select(expression: Expression & { kind: "select" }, scope: Scope): CelType {
    this.quoted(expression.quotedAt);
    const { operand, field, mode, at } = expression;
    if (mode === "value") {
      const name = dottedName(expression);
      if (name !== undefined && this.local(name.slice(0, name.indexOf(".", 1)), scope) === undefined) {
        const named = this.named(expression, name.replace(/^\./, ""));
        if (named !== undefined) return named;
      }
    }
    const on = this.shownKept(this.check(operand, scope));
    const inner = on.kind === "optional" ? this.shownKept(on.of) : on;
    const type = this.field(inner, { field, at });
    if (mode === "presence") return BOOL;
    return mode === "optional" || on.kind === "optional" ? (type.kind === "optional" ? type : optionalOf(type)) : type;
  }

  private readonly shownKept = (type: CelType): CelType => this.substitution.resolve(type);

  private field(on: CelType, { field, at }: { field: string; at: number }): CelType {
    switch (on.kind) {
      case "object":
        return on.fields.get(field) ?? this.problem(at, `undefined field '${field}'`);
      case "map":
        return on.value;
      case "dyn":
      case "parameter":
        return DYN;
      default:
        return this.problem(at, `type '${typeText(this.shown(on))}' does not support field selection`);
    }
  }

  private call(expression: Call, scope: Scope): CelType {
    const { target, name, args, at } = expression;
    const { functions } = this.environment;
    if (target !== undefined) {
      const front = dottedName(target);
      const isLocal = front !== undefined && this.local(front.split(".")[0] as string, scope) !== undefined;
      if (front !== undefined && !isLocal) {
        const overloads = functions.named(`${front.replace(/^\./, "")}.${name}`, false);
        if (overloads.length > 0) {
          this.namespaced.add(expression);
          return this.resolve(
            expression,
            overloads,
            args.map((arg) => this.check(arg, scope)),
          );
        }
      }
    }
    // Elements of the argument list of `format` may be of different types.
    if (name === "format" && args[0]?.kind === "list") this.mixed.add(args[0]);
    const types = (target === undefined ? args : [target, ...args]).map((arg) => this.check(arg, scope));
    const overloads = functions.named(name, target !== undefined);
    if (overloads.length === 0) return this.problem(at, undeclared(name));
    return this.resolve(expression, overloads, types);
  }

  private resolve(expression: Call, overloads: readonly Overload[], types: readonly CelType[]): CelType {
    const fitting: Overload[] = [];
    let result: CelType | undefined;
    let chosen: Substitution | undefined;
    for (const overload of overloads) {
      if (overload.params.length !== types.length) continue;
      if (overload.params.some((param, index) => cannotBe(param, types[index] as CelType))) continue;
      const attempt = this.substitution.attempt();
      const own = overload.isGeneric ? this.instance(overload) : overload;
      if (!own.params.every((param, index) => attempt.assign(param, types[index] as CelType))) continue;
      fitting.push(overload);
      const made = attempt.resolve(own.result);
      // Type parameters of the expression are bound only when a single overload matches.
      chosen ??= attempt;
      result = result === undefined || isSame(result, made) ? made : DYN;
    }
    if (fitting.length === 1 && chosen !== undefined) this.substitution.take(chosen);
    if (result === undefined) {
      // In unchecked mode any of them may be called at run time, where a mismatch is an error.
      this.candidates.set(
        expression,
        overloads.filter((each) => each.params.length === types.length),
      );
      return this.problem(
        expression.at,
        noOverload(
          expression.name,
          types.map(this.shown),
          expression.target !== undefined && !this.namespaced.has(expression),
        ),
      );
    }
    this.candidates.set(expression, fitting);
    const problem = this.literalProblem(fitting[0], expression);
    return problem === undefined ? result : this.problem(expression.at, problem);
  }

  /**
   * Checks literal arguments, such as patterns, which take long to compile. The number of checks per expression is
   * limited; further ones fail when they are used.
   */
  private literalProblem(overload: Overload | undefined, call: Call): string | undefined {
    if (overload?.literalProblem === undefined || this.literals >= LITERALS_MAX) return undefined;
    this.literals += 1;
    // Times are validated since 1.29 and only in new expressions. Stored ones may have invalid literals.
    const { functions } = this.environment;
    if (overload.checksNewLiterals && !(functions.isLimited && functions.includes(TIMES_SINCE))) return undefined;
    return overload.literalProblem(operandsOf(call, this.namespaced.has(call)).map(literalOf));
  }

  /** Returns the overload with fresh type parameters, so that calls do not share them. */
  private instance({ params, result }: Overload): { readonly params: readonly CelType[]; readonly result: CelType } {
    const names = new Map<string, CelType>();
    const renamed = (type: CelType): CelType => {
      switch (type.kind) {
        case "parameter": {
          const known = names.get(type.name) ?? this.fresh();
          names.set(type.name, known);
          return known;
        }
        case "list":
          return listOf(renamed(type.item));
        case "map":
          return mapOf(renamed(type.key), renamed(type.value));
        case "optional":
          return optionalOf(renamed(type.of));
        case "type":
          return { kind: "type", of: renamed(type.of) };
        default:
          return type;
      }
    };
    return { params: params.map(renamed), result: renamed(result) };
  }

  private conditional({ test, yes, no, at }: Expression & { kind: "conditional" }, scope: Scope): CelType {
    this.expectBool(test, scope, "_?_:_");
    const first = this.check(yes, scope);
    const second = this.check(no, scope);
    const joined = this.joined(first, second);
    if (joined !== undefined) return joined;
    return this.problem(at, noOverload("_?_:_", [BOOL, this.shown(first), this.shown(second)]));
  }

  /** Returns the more general of two types when one is assignable to the other. */
  private joined(a: CelType, b: CelType): CelType | undefined {
    const known = this.substitution.resolve(a);
    const other = this.substitution.resolve(b);
    if (known.kind === "dyn" || other.kind === "dyn") return DYN;
    const attempt = this.substitution.attempt();
    if (attempt.assign(known, other)) {
      this.substitution.take(attempt);
      return known.kind === "null" ? other : hasDyn(this.substitution.resolve(other)) ? other : known;
    }
    const reverse = this.substitution.attempt();
    if (!reverse.assign(other, known)) return undefined;
    this.substitution.take(reverse);
    return other;
  }

  private list(expression: Expression & { kind: "list" }, scope: Scope): CelType {
    let item: CelType | undefined;
    const isMixed = this.mixed.has(expression);
    for (const { value, isOptional } of expression.items) {
      const type = this.unwrapped(value, { isOptional, scope });
      if (isMixed) item = DYN;
      else item = item === undefined ? type : this.element(item, { type, at: value.at });
    }
    return listOf(item ?? this.fresh());
  }

  private element(known: CelType, { type, at }: { type: CelType; at: number }): CelType {
    const joined = this.joined(known, type);
    if (this.environment.literals === "mixed") return joined ?? DYN;
    if (joined !== undefined) {
      this.elements.push({ known, type, at });
      return joined;
    }
    return this.problem(at, `expected type '${typeText(this.shown(known))}' but found '${typeText(this.shown(type))}'`);
  }

  private unwrapped(value: Expression, { isOptional, scope }: { isOptional: boolean; scope: Scope }): CelType {
    const type = this.check(value, scope);
    if (!isOptional) return type;
    const inner = this.fresh();
    if (!this.substitution.assign(optionalOf(inner), type)) {
      return this.problem(value.at, `expected type 'optional_type' but found '${typeText(this.shown(type))}'`);
    }
    return inner;
  }

  private map({ entries }: Expression & { kind: "map" }, scope: Scope): CelType {
    let key: CelType | undefined;
    let value: CelType | undefined;
    for (const entry of entries) {
      const keyType = this.check(entry.key, scope);
      const shown = this.shown(keyType);
      if (!["dyn", "bool", "int", "uint", "string"].includes(shown.kind)) {
        this.problem(entry.key.at, `unsupported map key type: ${typeText(shown)}`);
      }
      const valueType = this.unwrapped(entry.value, { isOptional: entry.isOptional, scope });
      key = key === undefined ? keyType : this.element(key, { type: keyType, at: entry.key.at });
      value = value === undefined ? valueType : this.element(value, { type: valueType, at: entry.value.at });
    }
    return mapOf(key ?? this.fresh(), value ?? this.fresh());
  }

  /** No release of Kubernetes enables names in backticks. */
  private quoted(at: number | undefined): void {
    if (at !== undefined && !this.environment.functions.hasAdditions) this.problem(at, "unsupported syntax: '`'");
  }

  private struct({ typeName, fields, at }: Expression & { kind: "struct" }, scope: Scope): CelType {
    const declared = this.environment.structs?.(typeName.replace(/^\./, ""));
    for (const { name, value, isOptional, colonAt, quotedAt } of fields) {
      this.quoted(quotedAt);
      const given = this.unwrapped(value, { isOptional, scope });
      if (declared === undefined) continue;
      const type = declared.field(name);
      if (type === undefined) this.problem(colonAt, `undefined field '${name}'`);
      else if (!this.substitution.assign(type, given)) {
        const [wanted, found] = [typeText(type), typeText(this.shown(given))];
        this.problem(colonAt, `expected type of field '${name}' is '${wanted}' but provided type is '${found}'`);
      }
    }
    return declared?.type ?? this.problem(at, undeclared(typeName));
  }

  private fold(expression: Expression & { kind: "fold" }, scope: Scope): CelType {
    const { macro, range, variables, filter, body, at } = expression;
    const over = this.shownKept(this.check(range, scope));
    const [first, second] = variables;
    if (second !== undefined && !this.environment.functions.includes(PAIRS_SINCE))
      this.problem(at, undeclared(PAIR_MACROS[macro]));
    const inner = this.variables(over, { isPair: second !== undefined, at });
    let own: Scope = { name: first as string, type: inner[0], outer: scope };
    if (second !== undefined) own = { name: second, type: inner[1], outer: own };
    if (filter !== undefined) this.expectBool(filter, own, "_?_:_");
    switch (macro) {
      case "all":
      case "exists":
      case "existsOne":
        this.expectBool(body, own, macro === "all" ? "_&&_" : macro === "exists" ? "_||_" : "_?_:_");
        return BOOL;
      case "list":
        return listOf(this.check(body, own));
      case "map":
        return mapOf(inner[0], this.check(body, own));
      case "mapEntry": {
        const type = this.shownKept(this.check(body, own));
        return type.kind === "map" || type.kind === "dyn"
          ? type
          : this.problem(body.at, `expected type 'map' but found '${typeText(this.shown(type))}'`);
      }
    }
  }

  private variables(over: CelType, { isPair, at }: { isPair: boolean; at: number }): readonly [CelType, CelType] {
    switch (over.kind) {
      case "list":
        return isPair ? [INT, over.item] : [over.item, DYN];
      case "map":
        return [over.key, over.value];
      case "dyn":
      case "parameter":
        return [DYN, DYN];
      default:
        this.problem(
          at,
          `expression of type '${typeText(this.shown(over))}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return [DYN, DYN];
    }
  }

  private optionalMap({ operand, name, body, isFlat }: Expression & { kind: "optionalMap" }, scope: Scope): CelType {
    const inner = this.fresh();
    const type = this.check(operand, scope);
    if (!this.substitution.assign(optionalOf(inner), type)) {
      this.problem(operand.at, noOverload("optMap", [this.shown(type)]));
    }
    const made = this.check(body, { name, type: inner, outer: scope });
    if (!isFlat) return optionalOf(made);
    const of = this.fresh();
    if (!this.substitution.assign(optionalOf(of), made))
      this.problem(body.at, noOverload("optFlatMap", [this.shown(made)]));
    return optionalOf(of);
  }
}

/** First release that validates literal timestamps and durations. */
const TIMES_SINCE = "1.29";

/** First release whose macros may have two variables, and their names. */
const PAIRS_SINCE = "1.32";
const PAIR_MACROS: Readonly<Record<FoldMacro, string>> = {
  all: "all",
  exists: "exists",
  existsOne: "existsOne",
  list: "transformList",
  map: "transformMap",
  mapEntry: "transformMapEntry",
};

const operandsOf = ({ target, args }: Call, isNamespaced: boolean): readonly Expression[] =>
  target === undefined || isNamespaced ? args : [target, ...args];

const literalOf = (expression: Expression): CelValue | undefined =>
  expression.kind === "literal" ? expression.value : undefined;
