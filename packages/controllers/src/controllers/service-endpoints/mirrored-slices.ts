// Computes the slices for manually managed Endpoints, without I/O. Source:
// pkg/controller/endpointslicemirroring/reconciler.go.
import { familyOf, sameJson } from "@orch/machinery";
import type { coreV1, JsonValue, Vocabulary } from "@orch/schema";
import type { EndpointRules } from "./endpoint-rules";
import {
  type AddressType,
  placeOf,
  portsKey,
  type Slice,
  type SliceEndpoint,
  type SlicePort,
  type SliceVersion,
  slicePorts,
  slicesBy,
} from "./slice-form";
import { madeSlice } from "./slice-owner";
import { endpointIdentity, inPlaceOf, recycled, type SlicePlan } from "./slice-plan";

export interface MirrorContext {
  readonly rules: EndpointRules;
  readonly version: SliceVersion;
  readonly vocabulary: Vocabulary;
  /** Maximum number of addresses of one subset. */
  readonly addressesMax: number;
}

export interface Mirrored {
  readonly plan: SlicePlan;
  /** Number of invalid addresses. */
  readonly invalid: number;
  /** Number of addresses that were skipped, either beyond the maximum or invalid. */
  readonly skipped: number;
}

/** Returns whether labels and annotations of the Endpoints object allow mirroring. */
export function mayBeMirrored({ metadata }: coreV1.Endpoints, { labels, annotations }: Vocabulary): boolean {
  return (
    metadata?.labels?.[labels.endpointsliceSkipMirror] !== "true" &&
    metadata?.annotations?.[annotations.controlPlaneAlphaLeader] === undefined
  );
}

interface Group {
  readonly addressType: AddressType;
  readonly ports: readonly SlicePort[];
  readonly endpoints: Map<string, SliceEndpoint>;
}

/** @param found the existing mirrored slices */
export function planMirrors(endpoints: coreV1.Endpoints, found: readonly Slice[], context: MirrorContext): Mirrored {
  const { groups, invalid, skipped } = groupsOf(endpoints, context);
  const byGroup = slicesBy(found, ({ addressType, ports }) => groupKey(addressType, ports));
  const plan = { create: [] as Slice[], update: [] as Slice[], remove: [] as Slice[] };
  for (const [key, group] of groups) {
    const [first, ...others] = byGroup.get(key) ?? [];
    byGroup.delete(key);
    plan.remove.push(...others);
    const mirror = mirrorOf(endpoints, group, context);
    if (first === undefined) plan.create.push(mirror);
    else if (!says(first, mirror)) plan.update.push(inPlaceOf(first, mirror));
  }
  for (const slices of byGroup.values()) plan.remove.push(...slices);
  return { plan: recycled(plan, () => true), invalid, skipped };
}

const groupKey = (type: string, ports: readonly SlicePort[] | null): string => `${type} ${portsKey(ports)}`;

function groupsOf({ subsets = [] }: coreV1.Endpoints, context: MirrorContext) {
  const groups = new Map<string, Group>();
  let [invalid, skipped] = [0, 0];
  for (const { addresses = [], notReadyAddresses = [], ports: offered = [] } of subsets) {
    const ports = slicePorts(offered, ({ port }) => port, context.version);
    const all = [
      ...addresses.map((address) => ({ address, ready: true })),
      ...notReadyAddresses.map((address) => ({ address, ready: false })),
    ];
    let taken = 0;
    for (const { address, ready } of all) {
      if (taken >= context.addressesMax) break;
      const addressType = familyOf(address.ip);
      if (addressType === undefined) {
        invalid += 1;
        continue;
      }
      const key = groupKey(addressType, ports);
      const group = groups.get(key) ?? { addressType, ports, endpoints: new Map<string, SliceEndpoint>() };
      groups.set(key, group);
      const endpoint = endpointOf(address, ready, context);
      group.endpoints.set(endpointIdentity(endpoint), endpoint);
      taken += 1;
    }
    skipped += all.length - taken;
  }
  return { groups, invalid, skipped };
}

function endpointOf(
  { ip, hostname, nodeName, targetRef }: coreV1.EndpointAddress,
  ready: boolean,
  context: MirrorContext,
): SliceEndpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname ? { hostname } : {}),
    ...(targetRef === undefined ? {} : { targetRef }),
    ...placeOf(nodeName, undefined, context),
  };
}

function mirrorOf(
  { metadata }: coreV1.Endpoints,
  { addressType, ports, endpoints }: Group,
  { rules, vocabulary, addressesMax }: MirrorContext,
): Slice {
  const { labels: keys, labelValues, annotations: annotationKeys } = vocabulary;
  const labels = {
    ...metadata?.labels,
    [keys.serviceName]: metadata?.name ?? "",
    [keys.endpointsliceManagedBy]: labelValues.endpointslicemirroringController,
  };
  const annotations = rules.mirrorsAnnotations ? { ...metadata?.annotations } : {};
  delete annotations[annotationKeys.endpointsLastChangeTriggerTime];
  delete annotations[annotationKeys.orchctlLastAppliedConfiguration];
  const slice = madeSlice(
    { apiVersion: "v1", kind: "Endpoints", ...(metadata && { metadata }) },
    { labels, annotations, addressType, ports },
  );
  return { ...slice, endpoints: [...endpoints.values()].slice(0, addressesMax) };
}

/** Returns whether a slice equals its mirror; the order of endpoints does not matter. */
function says(found: Slice, mirror: Slice): boolean {
  const parts = ({ metadata, endpoints }: Slice): JsonValue =>
    ({
      labels: metadata?.labels ?? {},
      annotations: metadata?.annotations ?? {},
      endpoints: Object.fromEntries((endpoints ?? []).map((endpoint) => [endpointIdentity(endpoint), endpoint])),
    }) as unknown as JsonValue;
  return sameJson(parts(found), parts(mirror));
}
