// Recalculates the usage of a quota from the objects, by the same rules as admission.
import { amountsOf, isCounted, type QuotaEvaluator, termsOf, type Usage, wantedOf, ZERO } from "@orch/apis";
import { addQuantities, isObject, type JsonObject } from "@orch/schema";

export type { Usage } from "@orch/apis";

export const usageOfStatus = (quota: JsonObject): Usage => termsOf(quota).used;

/** Returns the resource names of a quota by their evaluator. Unknown names are left out. */
export function namesByEvaluator(
  quota: JsonObject,
  knowing: (name: string) => readonly QuotaEvaluator[],
): ReadonlyMap<QuotaEvaluator, readonly string[]> {
  const names = new Map<QuotaEvaluator, string[]>();
  for (const name of wantedOf(quota).keys()) {
    for (const evaluator of knowing(name)) {
      const known = names.get(evaluator);
      if (known === undefined) names.set(evaluator, [name]);
      else known.push(name);
    }
  }
  return names;
}

export interface AddedUp {
  readonly used: Usage;
  /** When the usage decreases without a change of an object, in milliseconds since 1970. */
  readonly endsAtMs: number | undefined;
}

const AT_ONCE = 500;

/** Adds up usage, and caches the usage of each object while it is unchanged. */
export class UsageSums {
  private known = new WeakMap<JsonObject, Usage>();

  /**
   * @param pause gives the event loop a turn
   * @param podOf returns the pod whose usage includes that of an object; see `includedBy` of the evaluators
   */
  constructor(
    private readonly pause: () => Promise<void>,
    private readonly podOf: (object: JsonObject) => JsonObject | undefined = () => undefined,
  ) {}

  /** Forgets the usage of all objects, because it depends on something that has changed. */
  clear(): void {
    this.known = new WeakMap();
  }

  /** @param of.names names to add up, among those of the evaluator */
  async addUp(
    evaluator: QuotaEvaluator,
    of: { readonly quota: JsonObject; readonly names: readonly string[]; readonly objects: readonly JsonObject[] },
    nowMs: number,
  ): Promise<AddedUp> {
    const { quota, names, objects } = of;
    const { scopes } = termsOf(quota);
    const used = new Map(names.map((name) => [name, ZERO]));
    let endsAtMs: number | undefined;
    for (const [at, object] of objects.entries()) {
      if (at % AT_ONCE === AT_ONCE - 1) await this.pause();
      if (!isCounted(evaluator, object, scopes)) continue;
      const ends = evaluator.endsAtMs?.(object);
      if (ends !== undefined && ends >= nowMs) endsAtMs = Math.min(ends, endsAtMs ?? ends);
      const usage =
        ends !== undefined || evaluator.includedBy?.(object) !== undefined
          ? evaluator.usage(object, { nowMs, pod: this.podOf(object) })
          : this.usageOf(evaluator, object, nowMs);
      for (const name of names) {
        const more = usage.get(name);
        if (more !== undefined) used.set(name, addQuantities(used.get(name) ?? ZERO, more));
      }
    }
    return { used, endsAtMs };
  }

  private usageOf(evaluator: QuotaEvaluator, object: JsonObject, nowMs: number): Usage {
    let usage = this.known.get(object);
    if (usage === undefined) {
      usage = evaluator.usage(object, { nowMs });
      this.known.set(object, usage);
    }
    return usage;
  }
}

/** Returns the new status of a quota; undefined when it is up to date. */
export function nextStatus(quota: JsonObject, used: Usage): JsonObject | undefined {
  const { spec, status } = quota;
  const hard = isObject(spec) && isObject(spec["hard"]) ? spec["hard"] : {};
  const before = termsOf(quota);
  if (isObject(status) && isSame(before.hard, wantedOf(quota)) && isSame(before.used, used)) return undefined;
  return { ...(isObject(status) ? status : {}), hard, used: amountsOf(used) };
}

function isSame(one: Usage, other: Usage): boolean {
  if (one.size !== other.size) return false;
  for (const [name, { nanos }] of one) if (other.get(name)?.nanos !== nanos) return false;
  return true;
}
