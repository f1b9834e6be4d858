// Estimates the maximum cost of an expression from the sizes that the schema allows. Source: github.com/google/cel-go,
// checker/cost.go.

import { add, either, FOLD_COSTS, multiply, type Range, range, sizeOf } from "../cost/cost-model";
import { type Extent, eitherExtent, SINGLE, UNBOUNDED } from "../cost/extent";
import type { Expression } from "../syntax/expression";
import type { CelType } from "../values/cel-type";
import type { Checked } from "./environment";

interface Estimate {
  readonly cost: Range;
  readonly extent: Extent;
}

type Scope = ReadonlyMap<string, Extent>;

const LIST_COST = 10;
const MAP_COST = 30;
const STRUCT_COST = 40;
const NOTHING = range(0);
const STEP = range(1);

/**
 * Estimates the cost.
 * @param variables extents of the environment's variables
 */
export function estimateOf(checked: Checked, variables: ReadonlyMap<string, Extent>): Range {
  return new Estimator(checked, variables).of(checked.expression, new Map()).cost;
}

class Estimator {
  constructor(
    private readonly checked: Checked,
    private readonly variables: ReadonlyMap<string, Extent>,
  ) {}

  of(expression: Expression, scope: Scope): Estimate {
    switch (expression.kind) {
      case "literal": {
        const { value } = expression;
        return { cost: NOTHING, extent: range(sizeOf(value)) };
      }
      case "identifier":
        return this.reference(expression) ?? { cost: STEP, extent: scope.get(expression.name) ?? UNBOUNDED };
      case "select": {
        const reference = this.reference(expression);
        if (reference !== undefined) return reference;
        const operand = this.of(expression.operand, scope);
        if (expression.mode === "presence") return { cost: operand.cost, extent: SINGLE };
        const extent = operand.extent.fields?.get(expression.field) ?? operand.extent.item ?? UNBOUNDED;
        const type = this.checked.typeOf(expression);
        const isUnknown = type.kind === "optional" && !isScalar(type);
        return { cost: add(operand.cost, STEP), extent: isUnknown ? unknownOf(extent) : extent };
      }
      case "call":
        return this.call(expression, scope);
      case "logic":
        return { cost: this.logic(expression.operands, scope), extent: SINGLE };
      case "conditional": {
        const [test, yes, no] = [expression.test, expression.yes, expression.no].map((part) => this.of(part, scope));
        if (test === undefined || yes === undefined || no === undefined) return { cost: NOTHING, extent: SINGLE };
        return { cost: add(test.cost, either(yes.cost, no.cost)), extent: eitherExtent(yes.extent, no.extent) };
      }
      case "list": {
        const items = expression.items.map(({ value }) => this.of(value, scope));
        const item = items.map(({ extent }) => extent).reduce<Extent | undefined>(eitherExtent, undefined) ?? SINGLE;
        return { cost: total(range(LIST_COST), items), extent: { ...range(items.length), item } };
      }
      case "map": {
        const keys = expression.entries.map(({ key }) => this.of(key, scope));
        const values = expression.entries.map(({ value }) => this.of(value, scope));
        const item = values.map(({ extent }) => extent).reduce<Extent | undefined>(eitherExtent, undefined) ?? SINGLE;
        const key = keys.map(({ extent }) => extent).reduce<Extent | undefined>(eitherExtent, undefined) ?? SINGLE;
        return { cost: total(range(MAP_COST), [...keys, ...values]), extent: { ...range(values.length), item, key } };
      }
      case "struct": {
        const values = expression.fields.map(({ value }) => this.of(value, scope));
        return { cost: total(range(STRUCT_COST), values), extent: SINGLE };
      }
      case "fold":
        return this.fold(expression, scope);
      case "bind": {
        const value = this.of(expression.value, scope);
        const body = this.of(expression.body, new Map([...scope, [expression.name, value.extent]]));
        return { cost: add(range(LIST_COST), add(value.cost, body.cost)), extent: body.extent };
      }
      case "optionalMap": {
        const operand = this.of(expression.operand, scope);
        const body = this.of(expression.body, new Map([...scope, [expression.name, operand.extent]]));
        return { cost: add(operand.cost, { min: 0, max: body.cost.max }), extent: unknownOf(body.extent) };
      }
    }
  }

  private reference(expression: Expression): Estimate | undefined {
    const reference = this.checked.referenceOf(expression);
    if (reference === undefined) return undefined;
    if (reference.kind === "type") return { cost: NOTHING, extent: SINGLE };
    return { cost: STEP, extent: this.variables.get(reference.name) ?? UNBOUNDED };
  }

  /** Returns the cost of operands of which only the first is always evaluated. */
  private logic(operands: readonly Expression[], scope: Scope): Range {
    return operands
      .map((operand) => this.of(operand, scope).cost)
      .reduce((sum, cost) => add(sum, { min: 0, max: cost.max }));
  }

  private call(expression: Expression & { kind: "call" }, scope: Scope): Estimate {
    const { target, args } = expression;
    const isMethod = target !== undefined && !this.checked.isNamespaced(expression);
    const given = isMethod ? [target, ...args] : args;
    const operands = given.map((operand) => this.of(operand, scope));
    const extents = operands.map(({ extent }) => extent);
    const [list] = extents;
    // The estimate knows the length of the parts of a joined list only when the schema states it, as in cel-go.
    if (expression.name === "join" && list !== undefined && !isPath(target)) extents[0] = { ...list, item: UNBOUNDED };
    const sizes = extents.map((extent, at) => withLiteral(extent, given[at] as Expression));
    const models = new Set(this.checked.candidatesOf(expression).map(({ cost }) => cost));
    let own: Range | undefined;
    let size: Range | undefined;
    for (const model of models) {
      const cost = model.estimate(...sizes);
      own = own === undefined ? cost : either(own, cost);
      const made = model.size?.(...sizes);
      if (made !== undefined) size = size === undefined ? made : either(size, made);
    }
    const extent = this.result(expression, { extents, size });
    return { cost: total(own ?? STEP, operands), extent };
  }

  private result(
    expression: Expression & { kind: "call" },
    { extents, size }: { extents: readonly Extent[]; size: Range | undefined },
  ): Extent {
    const [first] = extents;
    const type = this.checked.typeOf(expression);
    const { kind } = type;
    if (isScalar(type)) return SINGLE;
    switch (expression.name) {
      case "_[_]":
        return kind === "optional" ? unknownOf(first?.item) : (first?.item ?? UNBOUNDED);
      case "_[?_]":
      case "first":
      case "last":
        return unknownOf(first?.item);
      case "min":
      case "max":
        return UNBOUNDED;
      case "of":
      case "ofNonZeroValue":
      case "none":
      case "value":
      case "or":
      case "orValue":
        return unknownOf(first);
      case "dyn":
        return first ?? UNBOUNDED;
    }
    if (kind !== "string" && kind !== "bytes" && kind !== "list" && kind !== "map" && kind !== "dyn") return SINGLE;
    const made = size ?? (kind === "dyn" && extents.length === 0 ? SINGLE : UNBOUNDED);
    if (kind !== "list") return made;
    // Parts of a text are no longer than the text, and elements of joined lists no larger than those of the operands.
    const item = extents.map((extent) => extent.item).reduce(eitherExtent, undefined);
    return { ...made, item: first?.item === undefined ? (first ?? SINGLE) : (item ?? SINGLE) };
  }

  private fold(expression: Expression & { kind: "fold" }, scope: Scope): Estimate {
    const { macro, variables, filter, body } = expression;
    const over = this.of(expression.range, scope);
    const item = over.extent.item ?? UNBOUNDED;
    const key = over.extent.key ?? SINGLE;
    const isMap = this.checked.typeOf(expression.range).kind === "map";
    const [first = "", second] = variables;
    const inner = new Map(scope);
    inner.set(first, second === undefined && !isMap ? item : key);
    if (second !== undefined) inner.set(second, item);
    const { each, kept } = FOLD_COSTS[macro];
    const made = this.of(body, inner);
    const keeping = add(range(kept), made.cost);
    const tested = filter === undefined ? keeping : add(this.of(filter, inner).cost, { min: 0, max: keeping.max });
    const cost = add(over.cost, multiply({ min: over.extent.min, max: over.extent.max }, add(range(each), tested)));
    const size = { min: filter === undefined ? over.extent.min : 0, max: over.extent.max };
    switch (macro) {
      case "all":
      case "exists":
      case "existsOne":
        return { cost, extent: SINGLE };
      case "list":
        return { cost, extent: { ...size, item: made.extent } };
      case "map":
        return { cost, extent: { ...size, item: made.extent, key: second === undefined ? SINGLE : key } };
      case "mapEntry":
        return { cost, extent: { ...size, item: made.extent.item ?? SINGLE, key: made.extent.key ?? SINGLE } };
    }
  }
}

/**
 * Returns the extent of what an optional holds or a function picks from a list: the size is not known, as in cel-go, but
 * the sizes of an object's fields are.
 */
const unknownOf = (extent: Extent | undefined): Extent =>
  extent?.fields === undefined ? UNBOUNDED : { ...UNBOUNDED, fields: extent.fields };

const SCALARS: ReadonlySet<string> = new Set(["bool", "int", "uint", "double", "null", "timestamp", "duration"]);

const isScalar = (type: CelType): boolean => (type.kind === "optional" ? isScalar(type.of) : SCALARS.has(type.kind));

const isPath = (operand: Expression | undefined): boolean =>
  operand?.kind === "identifier" || (operand?.kind === "select" && isPath(operand.operand));

const withLiteral = (size: Range, operand: Expression): Range =>
  operand.kind === "literal" && typeof operand.value === "bigint" ? { ...size, literal: Number(operand.value) } : size;

const total = (own: Range, parts: readonly Estimate[]): Range => parts.reduce((sum, { cost }) => add(sum, cost), own);
