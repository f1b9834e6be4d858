// What a bound has against what is asked for.
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
import { type Bound, type BoundList, quantityOf, ZERO } from "./limit-items";

/** What is bounded: a container, the containers of a pod together, or a claim. */
export interface Subject {
  readonly type: string;
  readonly requests: Amounts;
  readonly limits: Amounts;
}

/** @returns what is wrong; undefined where the bound is kept. A narrower bound has something against all that this one has. */
export type BoundCheck = (bound: Bound, subject: Subject) => string | undefined;

export interface CheckedList {
  readonly list: BoundList;
  readonly check: BoundCheck;
}

const OF_PODS: readonly CheckedList[] = [
  { list: "min", check: tooLittle },
  { list: "max", check: tooMuch },
  { list: "maxLimitRequestRatio", check: tooFarApart },
];

/** They ask, and have no limits. */
const OF_CLAIMS: readonly CheckedList[] = [
  { list: "min", check: tooLittle },
  { list: "max", check: tooMuchRequested },
];

const NOTHING: readonly CheckedList[] = [];

/** In the order in which what is wrong is told. @param type of a range's item */
export function checksOf(type: string): readonly CheckedList[] {
  switch (type) {
    case "Container":
    case "Pod":
      return OF_PODS;
    case "PersistentVolumeClaim":
      return OF_CLAIMS;
    default:
      return NOTHING;
  }
}

export function subjectsOfPod(pod: JsonObject): readonly Subject[] {
  const spec = specOf(pod) ?? {};
  const containers = [...containersOf(spec, "containers", "initContainers")].map(
    (container): Subject => ({
      type: "Container",
      requests: amountsOf(container, "requests") ?? {},
      limits: amountsOf(container, "limits") ?? {},
    }),
  );
  return [...distinct(containers), askedTogether(spec)];
}

export const subjectsOfClaim = (claim: JsonObject): readonly Subject[] => [
  { type: "PersistentVolumeClaim", requests: amountsOf(specOf(claim) ?? {}, "requests") ?? {}, limits: {} },
];

function tooLittle({ name, text, amount }: Bound, { type, ...asked }: Subject): string | undefined {
  const { request, limit } = amountsBoundBy(name, asked);
  const says = `minimum ${name} usage per ${type} is ${text}`;
  if (request === undefined) return `${says}.  No request is specified`;
  const values = comparable(amount, request, limit);
  if (values.request < values.bound) return `${says}, but request is ${asked.requests[name]}`;
  if (limit !== undefined && values.limit < values.bound) return `${says}, but limit is ${asked.limits[name]}`;
  return undefined;
}

function tooMuch({ name, text, amount }: Bound, { type, ...asked }: Subject): string | undefined {
  const { request, limit } = amountsBoundBy(name, asked);
  const says = `maximum ${name} usage per ${type} is ${text}`;
  if (limit === undefined) return `${says}.  No limit is specified`;
  const values = comparable(amount, request, limit);
  if (values.limit > values.bound) return `${says}, but limit is ${asked.limits[name]}`;
  if (values.request > values.bound) return `${says}, but request is ${asked.requests[name]}`;
  return undefined;
}

/** Of a claim, which has no limits. */
function tooMuchRequested({ name, text, amount }: Bound, { type, requests }: Subject): string | undefined {
  const { request } = amountsBoundBy(name, { requests, limits: {} });
  const says = `maximum ${name} usage per ${type} is ${text}`;
  if (request === undefined) return `${says}.  No request is specified`;
  const values = comparable(amount, request, undefined);
  return values.request > values.bound ? `${says}, but request is ${requests[name]}` : undefined;
}

function tooFarApart({ name, text, amount }: Bound, { type, ...asked }: Subject): string | undefined {
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

function amountsBoundBy(name: string, { requests, limits }: Pick<Subject, "requests" | "limits">) {
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

/** Many containers ask for the same: looked at once. */
function distinct(all: readonly Subject[]): readonly Subject[] {
  return all.length < 2 ? all : [...new Map(all.map((each) => [JSON.stringify(each), each])).values()];
}

/** What the containers ask for together, or what one that runs before them asks for, whichever is more. */
function askedTogether(spec: JsonObject): Subject {
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
  return { type: "Pod", requests: of("requests"), limits: of("limits") };
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
