// Decides whether the quotas of a namespace admit an object, and what each quota is charged. Independent of requests.
// Source: staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go.
import {
  amountsOf,
  countedUsage,
  increase,
  isCounted,
  only,
  type QuotaEvaluator,
  scopesText,
  sum,
  termsOf,
  type Usage,
} from "@orch/apis";
import { nameOf } from "@orch/machinery";
import { isObject, type JsonObject } from "@orch/schema";
import type { LimitedResource } from "./quota-configuration";

/** An object to be written, with its usage. */
export interface RequestedUsage {
  readonly evaluator: QuotaEvaluator;
  readonly object: JsonObject;
  /** Total usage of the object. */
  readonly usage: Usage;
  /** Increase over the usage of the old object. */
  readonly added: Usage;
  /**
   * The old object, when a quota is charged in full for an object that enters its scope; undefined: former scopes do
   * not matter.
   */
  readonly scopedBefore: JsonObject | undefined;
}

/** Refusal of an object. `quota`: the quota whose usage causes it. */
export class QuotaRefusal {
  constructor(
    readonly text: string,
    readonly quota?: string,
  ) {}
}

/**
 * Computes the usage of an object.
 * @param of.old the stored object; undefined for a new object
 * @param at.nowMs milliseconds since 1970
 * @param at.pod pod whose usage includes that of the object
 */
export function requestedUsage(
  evaluator: QuotaEvaluator,
  of: { readonly object: JsonObject; readonly old: JsonObject | undefined; readonly rules: QuotaRules },
  at: { readonly nowMs: number; readonly pod?: JsonObject | undefined },
): RequestedUsage {
  const { object, old, rules } = of;
  const usage = evaluator.usage(object, at);
  const added = old === undefined ? usage : increase(usage, evaluator.usage(old, at));
  return {
    evaluator,
    object,
    usage,
    added: only(added, (_name, { nanos }) => nanos !== 0n),
    scopedBefore: rules.scopeChanges && evaluator.inScope !== undefined ? old : undefined,
  };
}

/** Rules that differ between releases. */
export interface QuotaRules {
  /** Whether an update that moves an object into the scope of a quota charges the quota for the whole object. */
  readonly scopeChanges: boolean;
}

/** Returns the amount that a quota which counts the object is charged in addition. */
function addedTo({ evaluator, usage, added, scopedBefore }: RequestedUsage, quota: JsonObject): Usage {
  if (scopedBefore === undefined || isCounted(evaluator, scopedBefore, termsOf(quota).scopes)) return added;
  return only(usage, (_name, { nanos }) => nanos !== 0n);
}

/** Returns the quotas to be charged, in order, or the first refusal. */
export function decide(
  asked: RequestedUsage,
  quotas: readonly JsonObject[],
  limited: readonly LimitedResource[],
): readonly JsonObject[] | QuotaRefusal {
  const matching: JsonObject[] = [];
  for (const quota of quotas) {
    const match = matched(asked, quota);
    if (match instanceof QuotaRefusal) return match;
    if (match !== undefined) matching.push(quota);
  }
  const negative = namesOf(asked.usage, ({ nanos }) => nanos < 0n);
  if (negative.length > 0) return new QuotaRefusal(`quota usage is negative for resource(s): ${negative.join(",")}`);
  const added = matching.length === 0 ? [asked.added] : matching.map((quota) => addedTo(asked, quota));
  if (added.every(({ size }) => size === 0)) return [];
  const uncovered = uncoveredUse(asked, { quotas, matching }, limited);
  if (uncovered !== undefined) return uncovered;
  const charged: JsonObject[] = [];
  for (const quota of matching) {
    const next = charge(asked, quota);
    if (next instanceof QuotaRefusal) return next;
    if (next !== quota) charged.push(quota);
  }
  return charged;
}

/** Returns the quota with the object charged, the same quota when it does not count the object, or the refusal. */
export function reserve(asked: RequestedUsage, quota: JsonObject): JsonObject | QuotaRefusal {
  const match = matched(asked, quota);
  return match === undefined ? quota : match instanceof QuotaRefusal ? match : charge(asked, quota);
}

/** Matches a quota against the object. @returns undefined for a quota that does not count the object */
function matched({ evaluator, object }: RequestedUsage, quota: JsonObject): true | QuotaRefusal | undefined {
  const { hard, used, scopes } = termsOf(quota);
  const names = [...hard.keys()].filter((name) => evaluator.knows(name)).sort();
  if (names.length === 0 || !isCounted(evaluator, object, scopes)) return undefined;
  const name = nameOf(quota);
  const missing = evaluator.missing?.(object, names);
  if (missing !== undefined) return new QuotaRefusal(`failed quota: ${name}: must specify ${missing}`, name);
  if (names.every((each) => used.has(each))) return true;
  return new QuotaRefusal(`status unknown for quota: ${name}, resources: ${names.join(",")}`, name);
}

function charge(asked: RequestedUsage, quota: JsonObject): JsonObject | QuotaRefusal {
  const { hard, used } = termsOf(quota);
  const requested = countedUsage(asked.evaluator, addedTo(asked, quota), hard);
  if (requested.size === 0) return quota;
  const next = sum(used, requested);
  const exceeds = (name: string) => (next.get(name)?.nanos ?? 0n) > (hard.get(name)?.nanos ?? 0n);
  const exceeded = only(requested, exceeds);
  if (exceeded.size > 0) {
    const shown = (usage: Usage) => textOf(only(usage, (name) => exceeded.has(name)));
    const amounts = `requested: ${shown(exceeded)}, used: ${shown(used)}, limited: ${shown(hard)}`;
    return new QuotaRefusal(`exceeded quota: ${nameOf(quota)}, ${amounts}`, nameOf(quota));
  }
  const status = isObject(quota["status"]) ? quota["status"] : {};
  const changed = amountsOf(only(next, (name) => requested.has(name)));
  return { ...quota, status: { ...status, used: { ...(status["used"] as JsonObject), ...changed } } };
}

/** Returns the refusal of usage that is allowed only where a quota limits it. */
function uncoveredUse(
  { evaluator, object, usage }: RequestedUsage,
  { quotas, matching }: { readonly quotas: readonly JsonObject[]; readonly matching: readonly JsonObject[] },
  limited: readonly LimitedResource[],
): QuotaRefusal | undefined {
  if (limited.length === 0) return undefined;
  const { group, resource } = evaluator.resource;
  const parts = limited
    .filter((each) => each.group === group && each.resource === resource)
    .flatMap(({ matchContains }) => matchContains);
  const used = namesOf(usage, ({ nanos }) => nanos > 0n).filter((name) => parts.some((part) => name.includes(part)));
  const free = used.filter((name) => !matching.some((quota) => evaluator.knows(name) && termsOf(quota).hard.has(name)));
  if (free.length > 0) return new QuotaRefusal(`insufficient quota to consume: ${free.join(",")}`);
  const wanted = limited.flatMap(({ matchScopes }) => matchScopes.filter((each) => evaluator.inScope?.(object, each)));
  if (wanted.length === 0) return undefined;
  const covered = new Set(
    quotas
      .flatMap((quota) => termsOf(quota).scopes.filter((each) => evaluator.inScope?.(object, each)))
      .map(({ scopeName }) => scopeName),
  );
  const open = wanted.filter(({ scopeName }) => !covered.has(scopeName));
  if (open.length === 0) return undefined;
  return new QuotaRefusal(`insufficient quota to match these scopes: ${scopesText(open)}`);
}

const namesOf = (usage: Usage, isWanted: (quantity: { readonly nanos: bigint }) => boolean): readonly string[] =>
  [...only(usage, (_name, quantity) => isWanted(quantity)).keys()].sort();

/** Formats `a=1,b=2`. */
const textOf = (usage: Usage): string =>
  Object.entries(amountsOf(usage))
    .map(([name, amount]) => `${name}=${amount}`)
    .join(",");
