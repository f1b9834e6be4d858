// Amounts keyed by their name in quotas.
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

/** Reads the amounts of an object, such as `status.hard`. Values that are not quantities are omitted. */
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

/** Returns the amounts as objects hold them, ordered by name. */
export function amountsOf(usage: Usage): JsonObject {
  const names = [...usage.keys()].sort();
  return Object.fromEntries(names.map((name) => [name, quantityText(usage.get(name) as Quantity)]));
}

/** Returns the sum of two usages. */
export function sum(one: Usage, other: Usage): Usage {
  const result = new Map(one);
  for (const [name, quantity] of other) {
    const before = result.get(name);
    result.set(name, before === undefined ? quantity : addQuantities(before, quantity));
  }
  return result;
}

/** Returns the increase from `before` to `after`; 0 where it is smaller. */
export function increase(after: Usage, before: Usage): Usage {
  const result = new Map<string, Quantity>();
  for (const [name, quantity] of after) {
    const difference = subtractQuantities(quantity, before.get(name) ?? ZERO);
    result.set(name, difference.nanos < 0n ? ZERO : difference);
  }
  return result;
}

/** Returns the larger of each amount. */
export function largest(one: Usage, other: Usage): Usage {
  const result = new Map(one);
  for (const [name, quantity] of other) {
    const before = result.get(name);
    if (before === undefined || before.nanos < quantity.nanos) result.set(name, quantity);
  }
  return result;
}

/** Returns the amounts for which `isWanted` is true. */
export function only(usage: Usage, isWanted: (name: string, quantity: Quantity) => boolean): Usage {
  const result = new Map<string, Quantity>();
  for (const [name, quantity] of usage) if (isWanted(name, quantity)) result.set(name, quantity);
  return result;
}
