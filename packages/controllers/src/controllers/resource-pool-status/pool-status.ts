// Answer to a pool status request: the devices of each pool of a driver, and how many of them claims have. Source:
// pkg/controller/resourcepoolstatusrequest/controller.go.
import { timestamp } from "@orch/machinery";
import type { resourceV1, resourceV1alpha3 } from "@orch/schema";

type Request = resourceV1alpha3.ResourcePoolStatusRequest;
type Status = resourceV1alpha3.ResourcePoolStatusRequestStatus;
type Pool = resourceV1alpha3.PoolStatus;
type Slice = resourceV1.ResourceSlice;

const LIMIT_DEFAULT = 100;
const ERROR_MAX_BYTES = 256;
const COMPLETE = "Complete";
const FAILED = "Failed";

/** Time after which an answered request is deleted. */
const ANSWERED_KEPT_MS = 60 * 60_000;
/** Time after which a request that has no answer is deleted. */
const PENDING_KEPT_MS = 24 * 60 * 60_000;

export interface PoolObjects {
  /** Returns the slices of a driver. */
  slices(driver: string): Iterable<Slice>;
  /** Returns the number of devices of a pool that are allocated. */
  allocated(driver: string, pool: string): number;
}

/** Returns the status of the pools that a request asks for. A pool without all its slices has no counts. */
export function poolStatus({ spec }: Request, objects: PoolObjects, nowMs: number): Status {
  const { driver, poolName = "", limit = LIMIT_DEFAULT } = spec;
  const newest = new Map<string, Slice[]>();
  for (const slice of objects.slices(driver)) {
    const { name } = slice.spec.pool;
    if (poolName !== "" && name !== poolName) continue;
    const known = newest.get(name);
    const difference = known?.[0] === undefined ? 1 : generationOf(slice) - generationOf(known[0]);
    if (difference > 0) newest.set(name, [slice]);
    else if (difference === 0) known?.push(slice);
  }
  const names = [...newest.keys()].sort();
  const pools = names
    .slice(0, limit)
    .map((name) => poolOf(newest.get(name) ?? [], { driver, name, allocated: objects.allocated(driver, name) }));
  const incomplete = pools.filter(({ validationError }) => validationError !== undefined).length;
  const message = `Calculated status for ${pools.length} pools${incomplete > 0 ? ` (${incomplete} incomplete)` : ""}`;
  const condition = {
    type: COMPLETE,
    status: "True",
    reason: "CalculationComplete",
    message,
    lastTransitionTime: timestamp(nowMs),
  } as const;
  return { poolCount: names.length, ...(pools.length > 0 && { pools }), conditions: [condition] };
}

export const isIncomplete = ({ pools = [] }: Status): boolean =>
  pools.some(({ validationError }) => validationError !== undefined);

const generationOf = ({ spec }: Slice): number => Number(spec.pool.generation);

function poolOf(
  slices: readonly Slice[],
  { driver, name, allocated }: { readonly driver: string; readonly name: string; readonly allocated: number },
): Pool {
  const [first] = slices;
  const generation = first === undefined ? 0 : generationOf(first);
  const nodes = new Set(slices.map(({ spec }) => spec.nodeName ?? ""));
  const [nodeName = ""] = nodes.size === 1 ? nodes : [];
  const pool = { driver, poolName: name, generation, ...(nodeName !== "" && { nodeName }) };
  const wanted = Number(first?.spec.pool.resourceSliceCount ?? 0);
  if (slices.length < wanted) {
    const observed = `observed ${slices.length}/${wanted} slices at generation ${generation}`;
    const text = `pool ${driver}/${name} is incomplete: ${observed}`;
    return { ...pool, validationError: text.slice(0, ERROR_MAX_BYTES) };
  }
  const total = slices.reduce((sum, { spec }) => sum + (spec.devices?.length ?? 0), 0);
  return {
    ...pool,
    resourceSliceCount: slices.length,
    totalDevices: total,
    allocatedDevices: allocated,
    availableDevices: Math.max(0, total - allocated),
    unavailableDevices: 0,
  };
}

/** Returns whether a request is to be deleted: some time after its answer, or when it has none for a day. */
export function isExpired({ metadata, status }: Request, nowMs: number): boolean {
  const isOlder = (time: string | undefined, ms: number) => nowMs - Date.parse(time ?? "") > ms;
  if (status === undefined || status === null) return isOlder(metadata?.creationTimestamp, PENDING_KEPT_MS);
  const answer = status.conditions?.find(({ type }) => type === COMPLETE || type === FAILED);
  return isOlder(answer?.lastTransitionTime ?? metadata?.creationTimestamp, ANSWERED_KEPT_MS);
}
