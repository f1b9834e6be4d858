// Pods with tainted devices, by the cached pods, claims, slices and rules. Source:
// pkg/controller/devicetainteviction/device_taint_eviction.go.
import { keyOf, type ObjectView } from "@orch/client";
import { isBeingDeleted } from "@orch/machinery";
import type { coreV1, JsonObject, resourceV1, Vocabulary } from "@orch/schema";
import { claimNamesOf, isDone, isMadeForAnother, isReservedFor } from "../resource-claims/pod-claims";
import {
  type Eviction,
  earliestOf,
  evictingTaintOf,
  evictingTaints,
  evictionOf,
  newestOf,
  selects,
  type TaintRule,
} from "./eviction-times";
import { BY_POOL, poolKey, poolKeyOf, resultsOf } from "./pool-index";

type Pod = coreV1.Pod;
type Claim = resourceV1.ResourceClaim;
type Result = resourceV1.DeviceRequestAllocationResult;

export const BY_CLAIM = "claim";

export interface TaintCaches {
  readonly pods: ObjectView<Pod>;
  readonly claims: ObjectView<Claim>;
  readonly slices: ObjectView<resourceV1.ResourceSlice>;
  readonly rules: () => Iterable<TaintRule>;
}

export interface SelectedDevices {
  readonly published: number;
  readonly allocated: number;
}

export class TaintedPods {
  /** @param of.sharesGroups whether pods use the claims of their pod group */
  constructor(
    private readonly caches: TaintCaches,
    private readonly of: { readonly vocabulary: Vocabulary; readonly sharesGroups: boolean },
  ) {}

  /** Returns the departure of a pod; undefined: it may stay. */
  evictionOf(pod: Pod): Eviction | undefined {
    return this.evictionBy(pod, [...this.caches.rules()]);
  }

  /** Returns the pods that leave because of a rule, or would if it had the effect NoExecute. */
  leavingBy(rule: TaintRule): readonly Pod[] {
    const { taint } = rule.spec;
    if (taint === undefined) return [];
    const effective: TaintRule = { ...rule, spec: { ...rule.spec, taint: { ...taint, effect: "NoExecute" } } };
    const pods = new Set(this.claimsBy(rule).flatMap((claim) => this.podsOf(claim)));
    return [...pods].filter((pod) => {
      if (isBeingDeleted(pod as JsonObject)) return false;
      return this.evictionBy(pod, [effective])?.rules.has(effective) === true;
    });
  }

  /** Returns the claims that a rule selects a device of. */
  claimsBy(rule: TaintRule): readonly Claim[] {
    const { claims } = this.caches;
    const { driver, pool } = rule.spec.deviceSelector ?? {};
    const found = driver && pool ? claims.byIndex(BY_POOL, poolKey({ driver, pool })) : [...claims.values()];
    return found.filter((claim) => resultsOf(claim).some((result) => selects(rule, result)));
  }

  podsOf(claim: Claim): readonly Pod[] {
    return this.caches.pods.byIndex(BY_CLAIM, keyOf(claim));
  }

  /** Returns the number of devices that a rule selects. */
  devicesBy(rule: TaintRule): SelectedDevices {
    const pools = new Map<string, resourceV1.ResourceSlice[]>();
    for (const slice of this.caches.slices.values()) {
      const pool = pools.get(poolKeyOf(slice));
      if (pool === undefined) pools.set(poolKeyOf(slice), [slice]);
      else pool.push(slice);
    }
    let published = 0;
    for (const { spec } of [...pools.values()].flatMap(newestOf)) {
      const [driver, pool] = [spec.driver, spec.pool.name];
      for (const { name: device } of spec.devices ?? []) if (selects(rule, { driver, pool, device })) published += 1;
    }
    const results = this.claimsBy(rule).flatMap(resultsOf);
    return { published, allocated: results.filter((result) => selects(rule, result)).length };
  }

  private evictionBy(pod: Pod, rules: readonly TaintRule[]): Eviction | undefined {
    if (!pod.spec?.nodeName || isDone(pod)) return undefined;
    const { sharesGroups, vocabulary } = this.of;
    const group = sharesGroups ? vocabulary.groups.scheduling : undefined;
    const claims = claimNamesOf(pod).flatMap((name) => {
      const claim = this.caches.claims.get(`${pod.metadata?.namespace}/${name}`);
      if (claim === undefined || isMadeForAnother(pod, claim, group) || !isReservedFor(pod, claim, group)) return [];
      return [claim];
    });
    return earliestOf(claims.flatMap(resultsOf).flatMap((result) => this.evictionFrom(result, rules) ?? []));
  }

  private evictionFrom(result: Result, rules: readonly TaintRule[]): Eviction | undefined {
    const published = evictingTaints(result, this.caches.slices.byIndex(BY_POOL, poolKey(result)));
    const ruled = rules.flatMap((rule) => (selects(rule, result) ? (evictingTaintOf(rule) ?? []) : []));
    return evictionOf(result, [...published, ...ruled]);
  }
}
