// Amounts that quotas count, by the name that a quota gives them.
import {
  addQuantities,
  isObject,
  type JsonObject,
  type JsonValue,
  parseQuantity,
  type Quantity,
  quantityText,
  subtractQuantities,
} from "@orch/schema";

export type Usage = ReadonlyMap<string, Quantity>;

export const NO_USAGE: Usage = new Map();

export const whole = (count: number): Quantity => ({ nanos: BigInt(count) * 1_000_000_000n, format: "DecimalSI" });

export const ZERO = whole(0);
export const ONE = whole(1);

/** Of a member of an object, such as `status.hard`. What is no quantity is left out. */
export function usageOf(amounts: JsonValue | undefined): Usage {
  if (!isObject(amounts)) return NO_USAGE;
  const usage = new Map<string, Quantity>();
  for (const name of Object.keys(amounts)) {
    const amount = amounts[name];
    const quantity = typeof amount === "string" || typeof amount === "number" ? parseQuantity(`${amount}`) : undefined;
    if (quantity !== undefined) usage.set(name, quantity);
  }
  return usage;
}

/** As objects hold it, in the order of the names. */
export function amountsOf(usage: Usage): JsonObject {
  const names = [...usage.keys()].sort();
  return Object.fromEntries(names.map((name) => [name, quantityText(usage.get(name) as Quantity)]));
}

/** All that either has. */
export function sum(one: Usage, other: Usage): Usage {
  const result = new Map(one);
  for (const [name, quantity] of other) {
    const before = result.get(name);
    result.set(name, before === undefined ? quantity : addQuantities(before, quantity));
  }
  return result;
}

/** What the one has beyond the other: nothing where it has less. */
export function increase(after: Usage, before: Usage): Usage {
  const result = new Map<string, Quantity>();
  for (const [name, quantity] of after) {
    const difference = subtractQuantities(quantity, before.get(name) ?? ZERO);
    result.set(name, difference.nanos < 0n ? ZERO : difference);
  }
  return result;
}

/** The larger of each. */
export function largest(one: Usage, other: Usage): Usage {
  const result = new Map(one);
  for (const [name, quantity] of other) {
    const before = result.get(name);
    if (before === undefined || before.nanos < quantity.nanos) result.set(name, quantity);
  }
  return result;
}

/** That of which the name, or the amount, is wanted. */
export function only(usage: Usage, isWanted: (name: string, quantity: Quantity) => boolean): Usage {
  const result = new Map<string, Quantity>();
  for (const [name, quantity] of usage) if (isWanted(name, quantity)) result.set(name, quantity);
  return result;
}
