// Distributes endpoints over slices with few writes, without I/O.
// Source: pkg/controller/endpointslice/reconciler.go.
import { sameJson } from "@orch/machinery";
import type { JsonValue } from "@orch/schema";
import { portsKey, type Slice, type SliceEndpoint, type SlicePort, slicesBy } from "./slice-form";

/** Endpoints with the same ports. */
export interface WantedGroup {
  readonly ports: readonly SlicePort[];
  readonly endpoints: readonly SliceEndpoint[];
}

export interface SlicePlan {
  readonly create: readonly Slice[];
  readonly update: readonly Slice[];
  readonly remove: readonly Slice[];
}

export interface Spreading {
  readonly endpointsMax: number;
  /** Whether different hints are a reason to write. */
  readonly keepsHints: boolean;
  /** Returns a slice without a name and without endpoints. */
  make(ports: readonly SlicePort[]): Slice;
  /** Returns the corrected labels of a slice; undefined when they are correct. */
  mendedLabels(slice: Slice): Record<string, string> | undefined;
}

/** @param found the existing slices of one address type that may be written */
export function spreadEndpoints(
  wanted: readonly WantedGroup[],
  found: readonly Slice[],
  spreading: Spreading,
): SlicePlan {
  const byPorts = slicesBy(found, ({ ports }) => portsKey(ports));
  const plan = { create: [] as Slice[], update: [] as Slice[], remove: [] as Slice[] };
  for (const group of wanted) {
    const key = portsKey(group.ports);
    const part = spreadGroup(group, byPorts.get(key) ?? [], spreading);
    byPorts.delete(key);
    plan.create.push(...part.create);
    plan.update.push(...part.update);
    plan.remove.push(...part.remove);
  }
  for (const slices of byPorts.values()) plan.remove.push(...slices);
  return withPlaceholder(plan, found.length, spreading);
}

/** Ensures that a service without endpoints has one empty slice. */
function withPlaceholder(plan: SlicePlan, found: number, { make, mendedLabels }: Spreading): SlicePlan {
  const { create, update, remove } = plan;
  if (create.length > 0 || remove.length < found) return plan;
  const kept = remove.find(({ ports, endpoints }) => !ports?.length && !endpoints?.length);
  if (kept === undefined) return { create: [make([])], update, remove };
  const others = remove.filter((slice) => slice !== kept);
  const labels = mendedLabels(kept);
  return labels === undefined
    ? { create, update, remove: others }
    : { create, update: [withLabels(kept, labels)], remove: others };
}

interface Filled {
  readonly slice: Slice;
  readonly endpoints: SliceEndpoint[];
  readonly labels: Record<string, string> | undefined;
  isChanged: boolean;
}

function spreadGroup({ ports, endpoints }: WantedGroup, found: readonly Slice[], spreading: Spreading): SlicePlan {
  const { endpointsMax, make } = spreading;
  const left = new Map(endpoints.map((endpoint) => [identityOf(endpoint), endpoint]));
  const kept = found.map((slice) => keepIn(slice, left, spreading));
  const remove = kept.filter(({ endpoints }) => endpoints.length === 0).map(({ slice }) => slice);
  const filled = kept.filter(({ endpoints }) => endpoints.length > 0);
  // Slices that are written anyway are filled first, starting with the fullest.
  for (const slice of filled.filter(({ isChanged }) => isChanged).sort(byFullness)) fill(slice, left, endpointsMax);
  const create: Slice[] = [];
  while (left.size > 0) {
    const fitting = filled
      .filter(({ isChanged, endpoints }) => !isChanged && endpoints.length + left.size <= endpointsMax)
      .sort(byFullness)[0];
    if (fitting !== undefined) {
      fill(fitting, left, endpointsMax);
      continue;
    }
    const made: Filled = { slice: make(ports), endpoints: [], labels: undefined, isChanged: true };
    fill(made, left, endpointsMax);
    create.push({ ...made.slice, endpoints: made.endpoints });
  }
  const update = filled.filter(({ isChanged }) => isChanged);
  return { create, remove, update: update.map((each) => written(each)) };
}

/** Keeps the slice's wanted endpoints and removes them from `left`. */
function keepIn(slice: Slice, left: Map<string, SliceEndpoint>, { mendedLabels, keepsHints }: Spreading): Filled {
  const endpoints: SliceEndpoint[] = [];
  const now = slice.endpoints ?? [];
  let isChanged = false;
  for (const endpoint of now) {
    const identity = identityOf(endpoint);
    const wanted = left.get(identity);
    if (wanted === undefined) continue;
    left.delete(identity);
    endpoints.push(wanted);
    if (!sameJson(comparable(wanted, keepsHints), comparable(endpoint, keepsHints))) isChanged = true;
  }
  const labels = mendedLabels(slice);
  return { slice, endpoints, labels, isChanged: isChanged || labels !== undefined || endpoints.length !== now.length };
}

function fill(filled: Filled, left: Map<string, SliceEndpoint>, endpointsMax: number): void {
  for (const [identity, endpoint] of left) {
    if (filled.endpoints.length >= endpointsMax) return;
    filled.endpoints.push(endpoint);
    filled.isChanged = true;
    left.delete(identity);
  }
}

function written({ slice, endpoints, labels }: Filled): Slice {
  const whole = { ...slice, endpoints };
  return labels === undefined ? whole : withLabels(whole, labels);
}

const withLabels = (slice: Slice, labels: Record<string, string>): Slice => ({
  ...slice,
  metadata: { ...slice.metadata, labels },
});

const byFullness = (one: Filled, other: Filled): number => other.endpoints.length - one.endpoints.length;

/** Returns the identity of an endpoint, independent of its conditions. */
function identityOf({ addresses, hostname = "", targetRef }: SliceEndpoint): string {
  return JSON.stringify([[...(addresses ?? [])].sort(), hostname, targetRef?.namespace ?? "", targetRef?.name ?? ""]);
}

/** Returns the parts of an endpoint that are a reason to write. The resource version of its pod is not. */
function comparable(endpoint: SliceEndpoint, keepsHints: boolean): JsonValue {
  const { targetRef, hints, ...parts } = endpoint;
  const rest = keepsHints && hints !== undefined ? { ...parts, hints } : parts;
  if (targetRef === undefined) return rest as JsonValue;
  const { resourceVersion: _, ...reference } = targetRef;
  return { ...rest, targetRef: reference } as unknown as JsonValue;
}

/** Returns the identity of an endpoint, for finding duplicates between groups or slices. */
export const endpointIdentity = identityOf;

/** Replaces a deletion and a creation by an update where possible. */
export function recycled(
  { create, update, remove }: SlicePlan,
  mayBecome: (old: Slice, made: Slice) => boolean,
): SlicePlan {
  const made = [...create];
  const updated = [...update];
  const removed: Slice[] = [];
  for (const old of remove) {
    const at = made.findLastIndex((slice) => slice.addressType === old.addressType && mayBecome(old, slice));
    const [slice] = at < 0 ? [] : made.splice(at, 1);
    if (slice === undefined) removed.push(old);
    else updated.push(inPlaceOf(old, slice));
  }
  return { create: made, update: updated, remove: removed };
}

/**
 * Returns the new slice with the identity of the old one. Metadata that the new slice does not set is kept, except
 * labels, annotations and owner references.
 */
export function inPlaceOf({ metadata: old = {} }: Slice, slice: Slice): Slice {
  const { generateName: _, ...metadata } = slice.metadata ?? {};
  const { labels: __, annotations: ___, ownerReferences: ____, ...kept } = old;
  return { ...slice, metadata: { ...kept, ...metadata } };
}
