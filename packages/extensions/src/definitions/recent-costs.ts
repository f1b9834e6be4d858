// Costs of each definition's objects on this server in the last minutes: conversion webhook calls and validation rules.
import { ManyValuesError, type ObjectConverter } from "@orch/machinery";

export interface Costs {
  /** Webhook calls, and the failed ones among them. */
  readonly conversionCalls: number;
  readonly conversionFailures: number;
  readonly convertedObjects: number;
  /** Total duration of the webhook calls. */
  readonly conversionSeconds: number;
  /** Objects validated by rules. */
  readonly ruleObjects: number;
  /** CEL cost units. */
  readonly ruleCost: number;
  readonly ruleSeconds: number;
}

const NOTHING: Costs = {
  conversionCalls: 0,
  conversionFailures: 0,
  convertedObjects: 0,
  conversionSeconds: 0,
  ruleObjects: 0,
  ruleCost: 0,
  ruleSeconds: 0,
};

/** Number of minutes reported: the present one and those before it. */
export const RECENT_MINUTES = 5;
const MINUTE_MS = 60_000;

interface Minute {
  readonly minute: number;
  costs: Costs;
}

export class RecentCosts {
  private readonly byDefinition = new Map<string, Minute[]>();

  /** @param now monotonic milliseconds */
  constructor(private readonly now: () => number) {}

  add(definition: string, costs: Partial<Costs>): void {
    const minute = Math.floor(this.now() / MINUTE_MS);
    const minutes = this.byDefinition.get(definition) ?? [];
    this.byDefinition.set(definition, minutes);
    let last = minutes.at(-1);
    if (last?.minute !== minute) {
      last = { minute, costs: NOTHING };
      minutes.push(last);
      if (minutes.length > RECENT_MINUTES) minutes.shift();
    }
    last.costs = sum(last.costs, costs);
  }

  /** Returns a function that adds the cost of one object's validation by rules. */
  ofRules(definition: string): (spent: { readonly cost: number; readonly milliseconds: number }) => void {
    return ({ cost, milliseconds }) =>
      this.add(definition, { ruleObjects: 1, ruleCost: cost, ruleSeconds: milliseconds / 1000 });
  }

  of(definition: string): Costs {
    const first = Math.floor(this.now() / MINUTE_MS) - RECENT_MINUTES;
    const recent = (this.byDefinition.get(definition) ?? []).filter(({ minute }) => minute > first);
    return recent.reduce((total, { costs }) => sum(total, costs), NOTHING);
  }

  forget(definition: string): void {
    this.byDefinition.delete(definition);
  }

  counted(definition: string, converter: ObjectConverter): ObjectConverter {
    const count = async <Made>(objects: number, call: () => Promise<Made>): Promise<Made> => {
      const begun = performance.now();
      const told = (outcome: Partial<Costs>): void =>
        this.add(definition, { ...outcome, conversionCalls: 1, conversionSeconds: (performance.now() - begun) / 1000 });
      try {
        const converted = await call();
        told({ convertedObjects: objects });
        return converted;
      } catch (error) {
        // The webhook did respond. The call is repeated in another thread because of the response size.
        told(error instanceof ManyValuesError ? {} : { conversionFailures: 1 });
        throw error;
      }
    };
    const { elsewhere } = converter;
    return {
      convert: (objects, ...of) => count(objects.length, () => converter.convert(objects, ...of)),
      ...(elsewhere && { elsewhere: (objects, ...of) => count(objects.length, () => elsewhere(objects, ...of)) }),
    };
  }
}

function sum(one: Costs, other: Partial<Costs>): Costs {
  const total: Record<keyof Costs, number> = { ...one };
  for (const name of Object.keys(other) as (keyof Costs)[]) total[name] += other[name] ?? 0;
  return total;
}
