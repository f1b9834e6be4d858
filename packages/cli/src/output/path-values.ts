// Values that a template of `-o jsonpath` finds, and the text that it prints. Source: Kubernetes documentation, "JSONPath
// Support".
import { isObject } from "@orch/schema";
import { CliError } from "../process/cli-error";
import { compactJson } from "./format";
import { goText } from "./go-text";
import type { FilterTest, Step, TemplatePart } from "./path-template";

export interface PathOptions {
  /** Finds nothing at a key that is missing, instead of an error. Default: true. */
  readonly allowMissingKeys?: boolean;
}

/** Returns what each expression and each text finds, in the order of the output. @throws CliError */
export function templateValues(
  parts: readonly TemplatePart[],
  value: unknown,
  options: PathOptions = {},
): readonly (readonly unknown[])[] {
  return parts.flatMap((part) => {
    const found = stepsValues(part.steps, [value], options);
    return part.kind === "steps" ? [found] : found.flatMap((each) => templateValues(part.parts, each, options));
  });
}

/** Returns the output of a template. */
export const templateText = (parts: readonly TemplatePart[], value: unknown, options: PathOptions = {}): string =>
  templateValues(parts, value, options)
    .map((found) => found.map(plainText).join(" "))
    .join("");

/** Returns the values of a path. */
const stepsValues = (
  steps: readonly Step[],
  values: readonly unknown[],
  options: PathOptions = {},
): readonly unknown[] => steps.reduce((found, step) => stepValues(step, found, options), values);

const plainText = (value: unknown): string =>
  typeof value === "object" && value !== null ? compactJson(value) : goText(value);

function stepValues(step: Step, values: readonly unknown[], options: PathOptions): readonly unknown[] {
  switch (step.kind) {
    case "text":
      return [step.text];
    case "literal":
      return values.map(() => step.value);
    case "field":
      return fieldValues(step.name, values, options);
    case "wildcard":
      return values.flatMap(members);
    case "descent":
      return values.flatMap(descendants);
    case "slice":
      return values.flatMap((value) => (value === null ? [] : sliced(step, value)));
    case "union":
      return step.parts.flatMap((part) => stepsValues(part, values, options));
    case "filter":
      return values.flatMap((value) => filtered(step, value, options));
  }
}

function fieldValues(name: string, values: readonly unknown[], { allowMissingKeys = true }: PathOptions): unknown[] {
  const found = values.flatMap((value) => (isObject(value) && Object.hasOwn(value, name) ? [value[name]] : []));
  if (found.length === 0 && values.length > 0 && !allowMissingKeys) throw new CliError(`${name} is not found`);
  return found;
}

function members(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return [];
  return Object.keys(value)
    .sort()
    .map((key) => value[key]);
}

/** Returns a value and all values within it that are not empty. */
function descendants(value: unknown): unknown[] {
  const found: unknown[] = [];
  const open = [value];
  while (open.length > 0) {
    const each = open.pop();
    const inner = members(each);
    if (inner.length > 0 || (typeof each === "string" && each !== "")) found.push(each);
    for (let at = inner.length - 1; at >= 0; at -= 1) open.push(inner[at]);
  }
  return found;
}

function sliced(of: Extract<Step, { readonly kind: "slice" }>, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new CliError(`${isObject(value) ? "a map" : typeof value} is not array or slice`);
  const { length } = value;
  const from = counted(of.from ?? 0, length);
  const to = of.isIndex && of.from !== undefined ? from + 1 : counted(of.to ?? length, length);
  if (from === to) return [];
  const outside = from >= length || from < 0 ? from : to > length || to < 0 ? to - 1 : undefined;
  if (outside !== undefined) throw new CliError(`array index out of bounds: index ${outside}, length ${length}`);
  if (from > to) throw new CliError(`starting index ${from} is greater than ending index ${to}`);
  const { step = 1 } = of;
  if (step <= 0) throw new CliError("step must be > 0");
  return value.slice(from, to).filter((_, at) => at % step === 0);
}

const counted = (index: number, length: number): number => (index < 0 ? index + length : index);

function filtered(
  { left, test }: Extract<Step, { readonly kind: "filter" }>,
  value: unknown,
  options: PathOptions,
): unknown[] {
  if (!Array.isArray(value)) throw new CliError(`${goText(value)} is not array or slice and cannot be filtered`);
  if (test === undefined) return value.filter((each) => stepsValues(left, [each]).length > 0);
  return value.filter((each) =>
    passes(stepsValues(left, [each], options), test, stepsValues(test.right, [each], options)),
  );
}

function passes(lefts: readonly unknown[], { operator }: FilterTest, rights: readonly unknown[]): boolean {
  if (lefts.length === 0 || rights.length === 0) return false;
  if (lefts.length > 1 || rights.length > 1) throw new CliError("can only compare one element at a time");
  const [left, right] = [comparable(lefts[0]), comparable(rights[0])];
  if (typeof left !== typeof right) throw new CliError("incompatible types for comparison");
  switch (operator) {
    case "==":
      return left === right;
    case "!=":
      return left !== right;
    case "<":
      return left < right;
    case "<=":
      return left <= right;
    case ">":
      return left > right;
    default:
      return left >= right;
  }
}

function comparable(value: unknown): string | number | boolean {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (typeof value === "bigint") return Number(value);
  throw new CliError("invalid type for comparison");
}
