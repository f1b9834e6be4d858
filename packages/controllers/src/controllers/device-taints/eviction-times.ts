// Times at which pods have to leave because of taints of their devices. Source:
// pkg/controller/devicetainteviction/device_taint_eviction.go.
import { parseTime, type resourceV1 } from "@orch/schema";

type Result = resourceV1.DeviceRequestAllocationResult;
type Taint = resourceV1.DeviceTaint;
type Slice = resourceV1.ResourceSlice;

const NO_EXECUTE = "NoExecute";

export const poolKey = ({ driver, pool }: Pick<Result, "driver" | "pool">): string => `${driver}/${pool}`;

export const poolKeyOf = ({ spec }: Slice): string => poolKey({ driver: spec.driver, pool: spec.pool.name });

/** Returns the results of a claim's allocation. */
export const resultsOf = ({ status }: resourceV1.ResourceClaim): readonly Result[] =>
  status?.allocation?.devices?.results ?? [];

/** Returns the taints of a device by which pods have to leave. Only slices of the newest generation count. */
export function evictingTaints({ device }: Result, slices: readonly Slice[]): readonly Taint[] {
  const newest = Math.max(...slices.map(({ spec }) => Number(spec.pool.generation)));
  for (const { spec } of slices) {
    if (Number(spec.pool.generation) !== newest) continue;
    const found = spec.devices?.find(({ name }) => name === device);
    if (found !== undefined) return (found.taints ?? []).filter(({ effect }) => effect === NO_EXECUTE);
  }
  return [];
}

function tolerates(toleration: resourceV1.DeviceToleration, taint: Taint): boolean {
  const { key = "", operator = "Equal", value = "", effect = "" } = toleration;
  if (effect !== NO_EXECUTE || (key !== "" && key !== taint.key)) return false;
  return operator === "Exists" || (operator === "Equal" && value === (taint.value ?? ""));
}

/** Returns the time in milliseconds at which a pod with the device has to leave; undefined: it may stay. */
export function evictionMsOf({ tolerations = [] }: Result, taints: readonly Taint[]): number | undefined {
  let earliest: number | undefined;
  for (const taint of taints) {
    const tolerated = tolerations.filter((each) => tolerates(each, taint));
    if (tolerated.some(({ tolerationSeconds: seconds }) => seconds === undefined || seconds === null)) continue;
    const seconds = tolerated.map(({ tolerationSeconds }) => Math.max(0, Number(tolerationSeconds)));
    const addedMs = parseTime(taint.timeAdded ?? "") ?? 0;
    const atMs = addedMs + (seconds.length === 0 ? 0 : Math.min(...seconds) * 1000);
    earliest = earliest === undefined ? atMs : Math.min(earliest, atMs);
  }
  return earliest;
}
