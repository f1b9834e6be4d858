// Computes the slices of a service from its pods, without I/O. Source: pkg/controller/endpointslice/reconciler.go.
import { familyOf, sameJson } from "@orch/machinery";
import type { coreV1, JsonValue, Vocabulary } from "@orch/schema";
import type { EndpointRules } from "./endpoint-rules";
import { hasEnded, hostnameOf, isBeingDeleted, isHeadless, isReady, podReference, portNumber } from "./service-pods";
import {
  type AddressType,
  placeOf,
  portsKey,
  type Slice,
  type SliceEndpoint,
  type SlicePort,
  type SliceVersion,
  slicePorts,
} from "./slice-form";
import { madeSlice, ownedBy } from "./slice-owner";
import { endpointIdentity, recycled, type SlicePlan, spreadEndpoints, type WantedGroup } from "./slice-plan";
import { hintsOf, keepsHints } from "./traffic-hints";

export interface SlicesContext {
  readonly rules: EndpointRules;
  readonly version: SliceVersion;
  readonly vocabulary: Vocabulary;
  readonly endpointsMax: number;
  /** @returns undefined when the node does not exist */
  node(name: string): coreV1.Node | undefined;
}

export interface SlicesOfService {
  readonly plan: SlicePlan;
  /** Nodes of pods that are not known; those pods are left out. */
  readonly missingNodes: readonly string[];
}

/** @param found all slices of the service that this controller manages */
export function planSlices(
  service: coreV1.Service,
  pods: readonly coreV1.Pod[],
  found: readonly Slice[],
  context: SlicesContext,
): SlicesOfService {
  const missingNodes = new Set<string>();
  const types = addressTypesOf(service);
  const plan = {
    create: [] as Slice[],
    update: [] as Slice[],
    remove: found.filter(({ addressType }) => !types.some((type) => type === addressType)),
  };
  for (const type of types) {
    const ofType = found.filter(({ addressType }) => addressType === type);
    // Slices of a deleted service with the same name are deleted with it.
    const own = ofType.filter((slice) => ownedBy(slice, service));
    const wanted = groupsOf(service, pods, type, { ...context, missing: (name) => missingNodes.add(name) });
    const part = spreadEndpoints(wanted, own, {
      endpointsMax: context.endpointsMax,
      keepsHints: keepsHints(service, context.rules, context.vocabulary),
      make: (ports) => newSlice(service, type, ports, context),
      mendedLabels: (slice) => mendedLabels(slice, service, context),
    });
    plan.create.push(...part.create);
    plan.update.push(...part.update);
    plan.remove.push(...part.remove, ...ofType.filter((slice) => !own.includes(slice)));
  }
  return {
    plan: recycled(plan, (old) => ownedBy(old, service)),
    missingNodes: [...missingNodes],
  };
}

/**
 * Returns the address types. Single-stack servers do not set `ipFamilies`: a headless service may then have pods of
 * both families.
 */
function addressTypesOf(service: coreV1.Service): readonly AddressType[] {
  const families = (service.spec?.ipFamilies ?? []).filter((family) => family !== "");
  if (families.length > 0) return families;
  if (isHeadless(service)) return ["IPv4", "IPv6"];
  return [familyOf(service.spec?.clusterIP ?? "") ?? "IPv4"];
}

interface GroupContext extends SlicesContext {
  missing(node: string): void;
}

function groupsOf(
  service: coreV1.Service,
  pods: readonly coreV1.Pod[],
  type: AddressType,
  context: GroupContext,
): readonly WantedGroup[] {
  const groups = new Map<string, { ports: readonly SlicePort[]; endpoints: Map<string, SliceEndpoint> }>();
  for (const pod of pods) {
    const endpoint = endpointOf(pod, service, type, context);
    if (endpoint === undefined) continue;
    const ports = slicePorts(service.spec?.ports ?? [], (port) => portNumber(pod, port), context.version);
    const key = portsKey(ports);
    const group = groups.get(key) ?? { ports, endpoints: new Map<string, SliceEndpoint>() };
    groups.set(key, group);
    group.endpoints.set(endpointIdentity(endpoint), endpoint);
  }
  return [...groups.values()].map(({ ports, endpoints }) => ({ ports, endpoints: [...endpoints.values()] }));
}

function endpointOf(
  pod: coreV1.Pod,
  service: coreV1.Service,
  type: AddressType,
  context: GroupContext,
): SliceEndpoint | undefined {
  const { rules } = context;
  const publishes = service.spec?.publishNotReadyAddresses === true;
  const isTerminating = isBeingDeleted(pod);
  if (isTerminating && !publishes && !rules.showsTerminating) return undefined;
  if (hasEnded(pod, rules.leavesOutEnded)) return undefined;
  const { podIP, podIPs } = pod.status ?? {};
  const addresses = [...new Set((podIPs ?? [{ ip: podIP ?? "" }]).map(({ ip = "" }) => ip))].filter(
    (ip) => familyOf(ip) === type,
  );
  if (addresses.length === 0) return undefined;
  const nodeName = pod.spec?.nodeName ?? "";
  const node = context.node(nodeName);
  if (node === undefined && !publishes) {
    context.missing(nodeName);
    return undefined;
  }
  const hostname = hostnameOf(pod, service);
  const serving = isReady(pod);
  const ready = publishes || (serving && !isTerminating);
  const place = placeOf(nodeName, node, context);
  const hints = ready && rules.setsHints ? hintsOf(service, place) : undefined;
  return {
    addresses,
    conditions: {
      ready,
      ...(rules.showsTerminating ? { serving, terminating: isTerminating } : {}),
    },
    ...(hostname === undefined ? {} : { hostname }),
    targetRef: podReference(pod, rules.namesPodVersion),
    ...place,
    ...(hints === undefined ? {} : { hints }),
  };
}

function newSlice(
  service: coreV1.Service,
  addressType: AddressType,
  ports: readonly SlicePort[],
  context: SlicesContext,
): Slice {
  const labels = labelsOf(service, context);
  return madeSlice({ apiVersion: "v1", kind: "Service", ...service }, { labels, addressType, ports });
}

function labelsOf(service: coreV1.Service, { rules, vocabulary }: SlicesContext): Record<string, string> {
  const { labels: keys, labelValues } = vocabulary;
  const labels: Record<string, string> = rules.copiesServiceLabels ? { ...service.metadata?.labels } : {};
  delete labels[keys.serviceHeadless];
  if (rules.copiesServiceLabels && isHeadless(service)) labels[keys.serviceHeadless] = "";
  labels[keys.serviceName] = service.metadata?.name ?? "";
  labels[keys.endpointsliceManagedBy] = labelValues.endpointsliceController;
  return labels;
}

function mendedLabels(slice: Slice, service: coreV1.Service, context: SlicesContext) {
  const labels = labelsOf(service, context);
  return sameJson((slice.metadata?.labels ?? {}) as JsonValue, labels) ? undefined : labels;
}
