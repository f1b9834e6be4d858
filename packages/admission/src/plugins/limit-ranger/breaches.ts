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
  /** Of one resource; undefined where nothing is said of it. */
  amount(list: AmountList, name: string): string | undefined;
}

type AmountList = "requests" | "limits";

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
  const containers = distinct([...containersOf(spec, "containers", "initContainers")]);
  return [...containers.map(askedAlone), askedTogether(spec)];
}

/** It asks; what limits it says bind nobody. */
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

/** Of a claim, which has no limits. */
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
 * What the containers ask for together, or what one that runs before them asks for, whichever is more. Looked at for what is bounded
 * alone: a pod may say far more.
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

/** Of what every one of them asks for: the sum of the others would say too little. */
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
