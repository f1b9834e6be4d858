// Order of `--sort-by`: numbers, quantities and texts in their own order, objects without the field first.
import { compareQuantities, type JsonObject, parseQuantity } from "@orch/schema";
import { relaxedPath } from "../../../output/custom-columns";
import type { TemplatePart } from "../../../output/path-template";
import { templateValues } from "../../../output/path-values";
import { CliError } from "../../../process/cli-error";

/**
 * Returns values in the order of a path in their objects.
 * @returns undefined when no object has the path
 * @throws CliError for values that have no order
 */
export function sorted<Value>(
  values: readonly Value[],
  objectOf: (value: Value) => JsonObject,
  path: string,
): readonly Value[] | undefined {
  if (values.length === 0) return values;
  const parts = relaxedPath(path);
  const keyed = values.map((value) => ({ value, key: keyOf(parts, objectOf(value)) }));
  if (keyed.every(({ key }) => key === undefined)) return undefined;
  return keyed.sort((one, other) => compared(one.key, other.key, path)).map(({ value }) => value);
}

const keyOf = (parts: readonly TemplatePart[], object: JsonObject): unknown => templateValues(parts, object)[0]?.[0];

function compared(one: unknown, other: unknown, path: string): number {
  if (one === undefined || one === null) return other === undefined || other === null ? 0 : -1;
  if (other === undefined || other === null) return 1;
  if (isNumber(one) && isNumber(other)) return one < other ? -1 : one > other ? 1 : 0;
  if (typeof one === "string" && typeof other === "string") return comparedTexts(one, other);
  throw new CliError(`--sort-by: the values of ${path} have no order: they are not all texts or all numbers`);
}

const isNumber = (value: unknown): value is number | bigint => typeof value === "number" || typeof value === "bigint";

function comparedTexts(one: string, other: string): number {
  const quantities = [parseQuantity(one), parseQuantity(other)] as const;
  if (quantities[0] !== undefined && quantities[1] !== undefined)
    return compareQuantities(quantities[0], quantities[1]);
  return one < other ? -1 : one > other ? 1 : 0;
}
