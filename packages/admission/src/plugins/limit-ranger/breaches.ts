// Checks of requests and limits against the bounds of a limit range.
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

/** Subject of a check: a container, all containers of a pod together, or a claim. */
export interface Subject {
  readonly type: string;
  /** Returns the request or limit of a resource; undefined when it is not set. */
  amount(list: AmountList, name: string): string | undefined;
}

type AmountList = "requests" | "limits";

/**
 * Checks a bound. @returns the violation, or undefined. A subject that violates a bound violates every narrower one.
 */
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

/** Claims have requests only. */
const OF_CLAIMS: readonly CheckedList[] = [
  { list: "min", check: tooLittle },
  { list: "max", check: tooMuchRequested },
];

const NOTHING: readonly CheckedList[] = [];

/** Returns the checks in the order in which violations are reported. @param type type of the limit range item */
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
  const containers = distinct([...containersOf(spec, "containers", "initContainers")]);
  return [...containers.map(askedAlone), askedTogether(spec)];
}

/** Returns the claim as a subject. Its limits are not checked. */
export function subjectsOfClaim(claim: JsonObject): readonly Subject[] {
  const requests = amountsOf(specOf(claim) ?? {}, "requests");
  const amount: Subject["amount"] = (list, name) => (list === "requests" ? amountIn(requests, name) : undefined);
  return [{ type: "PersistentVolumeClaim", amount }];
}

function tooLittle({ name, text, amount }: Bound, subject: Subject): string | undefined {
  const { request, limit } = amountsBoundBy(name, subject);
  const says = `minimum ${name} usage per ${subject.type} is ${text}`;
  if (request === undefined) return `${says}.  No request is specified`;
  const values = comparable(amount, request, limit);
  if (values.request < values.bound) return `${says}, but request is ${subject.amount("requests", name)}`;
  if (limit !== undefined && values.limit < values.bound)
    return `${says}, but limit is ${subject.amount("limits", name)}`;
  return undefined;
}

function tooMuch({ name, text, amount }: Bound, subject: Subject): string | undefined {
  const { request, limit } = amountsBoundBy(name, subject);
  const says = `maximum ${name} usage per ${subject.type} is ${text}`;
  if (limit === undefined) return `${says}.  No limit is specified`;
  const values = comparable(amount, request, limit);
  if (values.limit > values.bound) return `${says}, but limit is ${subject.amount("limits", name)}`;
  if (values.request > values.bound) return `${says}, but request is ${subject.amount("requests", name)}`;
  return undefined;
}

/** Checks the maximum of a claim, which has no limits. */
function tooMuchRequested({ name, text, amount }: Bound, subject: Subject): string | undefined {
  const { request } = amountsBoundBy(name, subject);
  const says = `maximum ${name} usage per ${subject.type} is ${text}`;
  if (request === undefined) return `${says}.  No request is specified`;
  const values = comparable(amount, request, undefined);
  return values.request > values.bound ? `${says}, but request is ${subject.amount("requests", name)}` : undefined;
}

function tooFarApart({ name, text, amount }: Bound, subject: Subject): string | undefined {
  const { request, limit } = amountsBoundBy(name, subject);
  const says = `${name} max limit to request ratio per ${subject.type} is ${text}`;
  const values = comparable(amount, request, limit);
  if (values.request === 0n) return `${says}, but no request is specified or request is 0`;
  if (values.limit === 0n) return `${says}, but no limit is specified or limit is 0`;
  const ratio = Number(values.limit) / Number(values.request);
  const isOver = isSmall(amount)
    ? ratio * 1000 > Number(quantityMilliValue(amount))
    : ratio > Number(quantityValue(amount));
  return isOver ? `${says}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}

function amountsBoundBy(name: string, subject: Subject) {
  const request = subject.amount("requests", name);
  const limit = subject.amount("limits", name);
  return {
    request: request === undefined ? undefined : quantityOf(request),
    limit: limit === undefined ? undefined : quantityOf(limit),
  };
}

/** Amounts above this are compared in whole units instead of thousandths. */
const SMALL_MAX = (2n ** 63n - 1n) / 1000n;

const isSmall = (amount: Quantity): boolean => quantityValue(amount) <= SMALL_MAX;

/** Returns the amounts in thousandths when all of them are small enough, else in whole units; 0 for an absent one. */
function comparable(bound: Quantity, request: Quantity | undefined, limit: Quantity | undefined) {
  const present = [bound, request, limit].filter((each) => each !== undefined);
  const value = present.every(isSmall) ? quantityMilliValue : quantityValue;
  return {
    bound: value(bound),
    request: request === undefined ? 0n : value(request),
    limit: limit === undefined ? 0n : value(limit),
  };
}

/** Removes containers with equal resources, so that each is checked once. */
function distinct(all: readonly JsonObject[]): readonly JsonObject[] {
  return all.length < 2
    ? all
    : [...new Map(all.map((each) => [JSON.stringify(each["resources"] ?? {}), each])).values()];
}

function askedAlone(container: JsonObject): Subject {
  const amounts = { requests: amountsOf(container, "requests"), limits: amountsOf(container, "limits") };
  return { type: "Container", amount: (list, name) => amountIn(amounts[list], name) };
}

/**
 * Returns the pod as a subject: the larger of the sum of its containers and of each init container. Computed only for
 * bounded resources, because a pod may name far more.
 */
function askedTogether(spec: JsonObject): Subject {
  const together = new Map<string, string | undefined>();
  const containers = containersIn(spec, "containers");
  const before = containersIn(spec, "initContainers");
  return {
    type: "Pod",
    amount(list, name) {
      const key = `${list} ${name}`;
      if (!together.has(key)) together.set(key, most(sum(containers, list, name), before, list, name));
      return together.get(key);
    },
  };
}

function most(
  asked: Quantity | undefined,
  before: readonly JsonObject[],
  list: AmountList,
  name: string,
): string | undefined {
  let found = asked;
  for (const container of before) {
    const text = amountIn(amountsOf(container, list), name);
    if (text === undefined) continue;
    const amount = quantityOf(text);
    if (found === undefined || compareQuantities(amount, found) > 0) found = amount;
  }
  return found && quantityText(found);
}

/**
 * Sums a resource over the containers. Undefined when a container does not set it, because the sum would be too small.
 */
function sum(containers: readonly JsonObject[], list: AmountList, name: string): Quantity | undefined {
  const exponent = name === "cpu" ? -3 : 0;
  let total = ZERO;
  for (const container of containers) {
    const text = amountIn(amountsOf(container, list), name);
    if (text === undefined) return undefined;
    total = addQuantities(total, roundUpQuantity(quantityOf(text), exponent));
  }
  return containers.length === 0 ? undefined : { ...total, format: "DecimalSI" };
}

const amountIn = (amounts: Amounts | undefined, name: string): string | undefined =>
  amounts !== undefined && Object.hasOwn(amounts, name) ? amounts[name] : undefined;
