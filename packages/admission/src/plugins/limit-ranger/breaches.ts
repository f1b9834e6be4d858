// What a range has against a pod or a claim, one text for each bound that it does not keep; undefined for each that it keeps, so that
// whoever looks through many can take turns with others.
import {
  addQuantities,
  compareQuantities,
  type JsonObject,
  type Quantity,
  quantityMilliValue,
  quantityText,
  quantityValue,
  roundUpQuantity,
} from "@orch/schema";
import { type Amounts, amountsOf, containersIn, containersOf, specOf } from "../../pods/pod-parts";
import { type Bound, type LimitItem, quantityOf, ZERO } from "./limit-items";

export type BreachFinder = (items: readonly LimitItem[]) => Iterable<string | undefined>;

/** What is bounded: of a container, of a pod's containers together, or of a claim. */
interface Asked {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

export function breachesOfPod(pod: JsonObject): BreachFinder {
  const spec = specOf(pod) ?? {};
  const containers = distinct([...containersOf(spec, "containers", "initContainers")].map(askedBy));
  let together: Asked | undefined;
  return function* (items) {
    for (const item of items) {
      switch (item.type) {
        case "Container":
          for (const each of containers) yield* breaches(item, each);
          break;
        case "Pod":
          together ??= askedTogether(spec);
          yield* breaches(item, together);
      }
    }
  };
}

export function breachesOfClaim(claim: JsonObject): BreachFinder {
  const requests = amountsOf(specOf(claim) ?? {}, "requests") ?? {};
  return function* (items) {
    for (const item of items) {
      if (item.type !== "PersistentVolumeClaim") continue;
      for (const bound of item.min) yield tooLittle(item, bound, { requests, limits: {} });
      for (const bound of item.max) yield tooMuchRequested(item, bound, requests);
    }
  };
}

function* breaches(item: LimitItem, asked: Asked): Iterable<string | undefined> {
  for (const bound of item.min) yield tooLittle(item, bound, asked);
  for (const bound of item.max) yield tooMuch(item, bound, asked);
  for (const bound of item.maxLimitRequestRatio) yield tooFarApart(item, bound, asked);
}

function tooLittle({ type }: LimitItem, { name, text, amount }: Bound, asked: Asked): string | undefined {
  const { request, limit } = amountsBoundBy(name, asked);
  const says = `minimum ${name} usage per ${type} is ${text}`;
  if (request === undefined) return `${says}.  No request is specified`;
  const values = comparable(amount, request, limit);
  if (values.request < values.bound) return `${says}, but request is ${asked.requests[name]}`;
  if (limit !== undefined && values.limit < values.bound) return `${says}, but limit is ${asked.limits[name]}`;
  return undefined;
}

function tooMuch({ type }: LimitItem, { name, text, amount }: Bound, asked: Asked): string | undefined {
  const { request, limit } = amountsBoundBy(name, asked);
  const says = `maximum ${name} usage per ${type} is ${text}`;
  if (limit === undefined) return `${says}.  No limit is specified`;
  const values = comparable(amount, request, limit);
  if (values.limit > values.bound) return `${says}, but limit is ${asked.limits[name]}`;
  if (values.request > values.bound) return `${says}, but request is ${asked.requests[name]}`;
  return undefined;
}

/** Of a claim, which has no limits. */
function tooMuchRequested({ type }: LimitItem, { name, text, amount }: Bound, requests: Amounts): string | undefined {
  const { request } = amountsBoundBy(name, { requests, limits: {} });
  const says = `maximum ${name} usage per ${type} is ${text}`;
  if (request === undefined) return `${says}.  No request is specified`;
  const values = comparable(amount, request, undefined);
  return values.request > values.bound ? `${says}, but request is ${requests[name]}` : undefined;
}

function tooFarApart({ type }: LimitItem, { name, text, amount }: Bound, asked: Asked): string | undefined {
  const { request, limit } = amountsBoundBy(name, asked);
  const says = `${name} max limit to request ratio per ${type} is ${text}`;
  const values = comparable(amount, request, limit);
  if (values.request === 0n) return `${says}, but no request is specified or request is 0`;
  if (values.limit === 0n) return `${says}, but no limit is specified or limit is 0`;
  const ratio = Number(values.limit) / Number(values.request);
  const isOver = isSmall(amount)
    ? ratio * 1000 > Number(quantityMilliValue(amount))
    : ratio > Number(quantityValue(amount));
  return isOver ? `${says}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}

function amountsBoundBy(name: string, { requests, limits }: Asked) {
  const request = Object.hasOwn(requests, name) ? quantityOf(requests[name] as string) : undefined;
  const limit = Object.hasOwn(limits, name) ? quantityOf(limits[name] as string) : undefined;
  return { request, limit };
}

/** Beyond this many whole units, thousandths are not counted. */
const SMALL_MAX = (2n ** 63n - 1n) / 1000n;

const isSmall = (amount: Quantity): boolean => quantityValue(amount) <= SMALL_MAX;

/** In thousandths where all of them are small enough, else in whole units; 0 for what is absent. */
function comparable(bound: Quantity, request: Quantity | undefined, limit: Quantity | undefined) {
  const present = [bound, request, limit].filter((each) => each !== undefined);
  const value = present.every(isSmall) ? quantityMilliValue : quantityValue;
  return {
    bound: value(bound),
    request: request === undefined ? 0n : value(request),
    limit: limit === undefined ? 0n : value(limit),
  };
}

const askedBy = (container: JsonObject): Asked => ({
  requests: amountsOf(container, "requests") ?? {},
  limits: amountsOf(container, "limits") ?? {},
});

/** Many containers ask for the same: looked at once. */
function distinct(all: readonly Asked[]): readonly Asked[] {
  return all.length < 2 ? all : [...new Map(all.map((each) => [JSON.stringify(each), each])).values()];
}

/** What the containers ask for together, or what one that runs before them asks for, whichever is more. */
function askedTogether(spec: JsonObject): Asked {
  const of = (list: "requests" | "limits"): Amounts => {
    const total = sums(containersIn(spec, "containers").map((each) => amountsOf(each, list) ?? {}));
    for (const container of containersIn(spec, "initContainers")) {
      for (const [name, text] of Object.entries(amountsOf(container, list) ?? {})) {
        const known = total.get(name);
        if (known === undefined || compareQuantities(quantityOf(text), known) > 0) total.set(name, quantityOf(text));
      }
    }
    return Object.fromEntries([...total].map(([name, each]) => [name, quantityText(each)]));
  };
  return { requests: of("requests"), limits: of("limits") };
}

/** Of what every one of them asks for: the sum of the others would say too little. */
function sums(lists: readonly Amounts[]): Map<string, Quantity> {
  const [first, ...others] = lists;
  const total = new Map<string, Quantity>();
  for (const name of Object.keys(first ?? {})) {
    if (!others.every((each) => Object.hasOwn(each, name))) continue;
    const exponent = name === "cpu" ? -3 : 0;
    const rounded = lists.map((each) => roundUpQuantity(quantityOf(each[name] as string), exponent));
    total.set(name, { ...rounded.reduce(addQuantities, ZERO), format: "DecimalSI" });
  }
  return total;
}
