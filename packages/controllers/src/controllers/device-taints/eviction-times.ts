// Times at which pods have to leave because of taints of their devices. Source:
// pkg/controller/devicetainteviction/device_taint_eviction.go.
import { parseTime, type resourceV1 } from "@orch/schema";

type Result = resourceV1.DeviceRequestAllocationResult;
type Taint = resourceV1.DeviceTaint;
type Slice = resourceV1.ResourceSlice;
export type TaintRule = resourceV1.DeviceTaintRule;

const NO_EXECUTE = "NoExecute";

/** Taint by which pods have to leave. `rule`: the rule that sets it; absent: the slice has it. */
export interface EvictingTaint {
  readonly taint: Taint;
  readonly rule?: TaintRule;
}

/** Departure of a pod: when, and the rules that are a reason for it. */
export interface Eviction {
  readonly atMs: number;
  readonly rules: ReadonlySet<TaintRule>;
}

/** Returns the slices of the newest generation of a pool. Others do not count. */
export function newestOf(slices: readonly Slice[]): readonly Slice[] {
  const newest = Math.max(...slices.map(({ spec }) => Number(spec.pool.generation)));
  return slices.filter(({ spec }) => Number(spec.pool.generation) === newest);
}

/** Returns the taints of a device, in its slice, by which pods have to leave. */
export function evictingTaints({ device }: Result, slices: readonly Slice[]): readonly EvictingTaint[] {
  for (const { spec } of newestOf(slices)) {
    const found = spec.devices?.find(({ name }) => name === device);
    if (found === undefined) continue;
    return (found.taints ?? []).filter(({ effect }) => effect === NO_EXECUTE).map((taint) => ({ taint }));
  }
  return [];
}

/** Returns the taint of a rule by which pods have to leave; undefined for a rule with another effect. */
export function evictingTaintOf(rule: TaintRule): EvictingTaint | undefined {
  const { taint } = rule.spec;
  return taint?.effect === NO_EXECUTE ? { taint, rule } : undefined;
}

/** Returns whether a rule selects a device. */
export function selects({ spec }: TaintRule, at: Pick<Result, "driver" | "pool" | "device">): boolean {
  const { deviceSelector: selector } = spec;
  if (selector === undefined || selector === null) return false;
  return (["driver", "pool", "device"] as const).every((part) => (selector[part] ?? at[part]) === at[part]);
}

function tolerates(toleration: resourceV1.DeviceToleration, taint: Taint): boolean {
  const { key = "", operator = "Equal", value = "", effect = "" } = toleration;
  if (effect !== NO_EXECUTE || (key !== "" && key !== taint.key)) return false;
  return operator === "Exists" || (operator === "Equal" && value === (taint.value ?? ""));
}

/** Returns the departure of a pod with the device; undefined: it may stay. */
export function evictionOf({ tolerations = [] }: Result, taints: readonly EvictingTaint[]): Eviction | undefined {
  let atMs: number | undefined;
  const rules = new Set<TaintRule>();
  for (const { taint, rule } of taints) {
    const tolerated = tolerations.filter((each) => tolerates(each, taint));
    if (tolerated.some(({ tolerationSeconds: seconds }) => seconds === undefined || seconds === null)) continue;
    const seconds = tolerated.map(({ tolerationSeconds }) => Math.max(0, Number(tolerationSeconds)));
    const addedMs = parseTime(taint.timeAdded ?? "") ?? 0;
    const leavesMs = addedMs + (seconds.length === 0 ? 0 : Math.min(...seconds) * 1000);
    atMs = atMs === undefined ? leavesMs : Math.min(atMs, leavesMs);
    if (rule !== undefined) rules.add(rule);
  }
  return atMs === undefined ? undefined : { atMs, rules };
}

/** Returns the departure for all reasons together. */
export function earliestOf(evictions: readonly Eviction[]): Eviction | undefined {
  if (evictions.length === 0) return undefined;
  return {
    atMs: Math.min(...evictions.map(({ atMs }) => atMs)),
    rules: new Set(evictions.flatMap(({ rules }) => [...rules])),
  };
}
