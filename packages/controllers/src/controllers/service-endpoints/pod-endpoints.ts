// Computes the Endpoints object of a service from its pods, without I/O. Source:
// pkg/controller/endpoint/endpoints_controller.go.
import { familyOf, sameJson } from "@orch/machinery";
import type { coreV1, JsonValue, Vocabulary } from "@orch/schema";
import type { EndpointRules } from "./endpoint-rules";
import { type Offer, packedSubsets } from "./packed-subsets";
import { hasEnded, hostnameOf, isBeingDeleted, isHeadless, isReady, podReference, portNumber } from "./service-pods";

export interface EndpointsContext {
  readonly rules: EndpointRules;
  readonly vocabulary: Vocabulary;
}

/** Capacity of one Endpoints object; excess addresses are truncated, depending on the release. */
const CAPACITY = 1_000;

/**
 * @param found the existing object
 * @param trigger time since when it is out of date
 * @returns the object to write; undefined when the existing one is up to date
 */
export function nextEndpoints(
  service: coreV1.Service,
  pods: readonly coreV1.Pod[],
  found: coreV1.Endpoints | undefined,
  trigger: string | undefined,
  context: EndpointsContext,
): coreV1.Endpoints | undefined {
  const { annotations: keys, labels: labelKeys } = context.vocabulary;
  const { subsets, capacity } = withinCapacity(subsetsOf(service, pods, context), context.rules);
  const { namespace = "", name = "", labels = {} } = service.metadata ?? {};
  const wantedLabels: Record<string, string> = { ...labels };
  delete wantedLabels[labelKeys.serviceHeadless];
  if (isHeadless(service)) wantedLabels[labelKeys.serviceHeadless] = "";
  const kept = { ...found?.metadata?.annotations };
  const wasCapacity = kept[keys.endpointsOverCapacity];
  if (
    found !== undefined &&
    wasCapacity === capacity &&
    sameJson(found.metadata?.labels ?? {}, wantedLabels) &&
    sameJson(withoutVersions(found.subsets), withoutVersions(subsets))
  ) {
    return undefined;
  }
  delete kept[keys.endpointsOverCapacity];
  delete kept[keys.endpointsLastChangeTriggerTime];
  const annotations = {
    ...kept,
    ...(capacity === undefined ? {} : { [keys.endpointsOverCapacity]: capacity }),
    ...(trigger === undefined ? {} : { [keys.endpointsLastChangeTriggerTime]: trigger }),
  };
  const { labels: _, annotations: __, ...metadata } = found?.metadata ?? { name, namespace };
  return {
    metadata: {
      ...metadata,
      ...(Object.keys(wantedLabels).length > 0 ? { labels: wantedLabels } : {}),
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
    },
    ...(subsets.length > 0 ? { subsets } : {}),
  };
}

function subsetsOf(
  service: coreV1.Service,
  pods: readonly coreV1.Pod[],
  { rules, vocabulary }: EndpointsContext,
): coreV1.EndpointSubset[] {
  const takesUnready = takesUnreadyPods(service, vocabulary);
  const offers: Offer[] = [];
  for (const pod of pods) {
    if (isBeingDeleted(pod) && !takesUnready) continue;
    if (rules.leavesOutEnded && hasEnded(pod, true)) continue;
    const isTaken = takesUnready || isReady(pod);
    if (!isTaken && hasEnded(pod, rules.leavesOutEnded)) continue;
    const address = addressOf(pod, service, rules);
    if (address === undefined) continue;
    for (const port of portsOf(pod, service)) offers.push({ address, isReady: isTaken, port });
  }
  return packedSubsets(offers);
}

/** Returns whether unready pods are published. The older annotation takes precedence over the field. */
function takesUnreadyPods({ metadata, spec }: coreV1.Service, { annotations }: Vocabulary): boolean {
  const said = metadata?.annotations?.[annotations.serviceAlphaTolerateUnreadyEndpoints] ?? "";
  if (TRUE.has(said)) return true;
  return !FALSE.has(said) && spec?.publishNotReadyAddresses === true;
}

const TRUE = new Set(["1", "t", "T", "true", "TRUE", "True"]);
const FALSE = new Set(["0", "f", "F", "false", "FALSE", "False"]);

/** @returns undefined when the pod has no address of the service's IP family */
function addressOf(
  pod: coreV1.Pod,
  service: coreV1.Service,
  { namesPodVersion }: EndpointRules,
): coreV1.EndpointAddress | undefined {
  const { podIP, podIPs = [] } = pod.status ?? {};
  if (!podIP) return undefined;
  const family = familyFor(service, podIP);
  const ip = [podIP, ...podIPs.map((each) => each.ip)].find((each) => familyOf(each ?? "") === family);
  if (ip === undefined) return undefined;
  const hostname = hostnameOf(pod, service);
  const nodeName = pod.spec?.nodeName;
  return {
    ip,
    ...(hostname === undefined ? {} : { hostname }),
    ...(nodeName === undefined ? {} : { nodeName }),
    targetRef: podReference(pod, namesPodVersion),
  };
}

/**
 * Returns the IP family. Single-stack servers do not set `ipFamilies`: it is then the family of the cluster IP, or else
 * of the pod.
 */
function familyFor(service: coreV1.Service, podIP: string) {
  const [first] = service.spec?.ipFamilies ?? [];
  if (first) return first;
  return familyOf((isHeadless(service) ? undefined : service.spec?.clusterIP) ?? podIP);
}

/** Returns the ports of a pod. A headless service without ports still has its pods' addresses. */
function portsOf(pod: coreV1.Pod, { spec }: coreV1.Service): readonly (coreV1.EndpointPort | undefined)[] {
  const { ports = [], clusterIP } = spec ?? {};
  if (ports.length === 0) return clusterIP === "None" ? [undefined] : [];
  return ports.flatMap((each) => {
    const port = portNumber(pod, each);
    if (port === undefined) return [];
    const { name, protocol = "TCP", appProtocol } = each;
    return [{ ...(name ? { name } : {}), port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
}

interface Capacity {
  readonly subsets: coreV1.EndpointSubset[];
  /** Value of the annotation for exceeded capacity. */
  readonly capacity: string | undefined;
}

/** Limits the addresses to the capacity. Ready ones are kept first; each subset is truncated by the same share. */
function withinCapacity(subsets: coreV1.EndpointSubset[], { overCapacity }: EndpointRules): Capacity {
  const sum = (count: (subset: coreV1.EndpointSubset) => number) => subsets.reduce((all, each) => all + count(each), 0);
  const ready = sum(({ addresses = [] }) => addresses.length);
  const unready = sum(({ notReadyAddresses = [] }) => notReadyAddresses.length);
  if (overCapacity === "kept" || ready + unready <= CAPACITY) return { subsets, capacity: undefined };
  if (overCapacity === "told") return { subsets, capacity: "warning" };
  const cutsReady = ready > CAPACITY;
  const room = cutsReady ? CAPACITY : CAPACITY - ready;
  const all = cutsReady ? ready : unready;
  let left = room;
  const share = (addresses: coreV1.EndpointAddress[] = []) => {
    const taken = addresses.slice(0, Math.min(Math.ceil((addresses.length / all) * room), left));
    left -= taken.length;
    return taken;
  };
  const cut = subsets.map(({ addresses, notReadyAddresses, ...rest }) => {
    const [kept, keptUnready] = cutsReady ? [share(addresses), []] : [addresses ?? [], share(notReadyAddresses)];
    return {
      ...(kept.length > 0 ? { addresses: kept } : {}),
      ...(keptUnready.length > 0 ? { notReadyAddresses: keptUnready } : {}),
      ...rest,
    };
  });
  return { subsets: cut, capacity: "truncated" };
}

/** Removes the pods' resource versions: a changed pod alone is no reason to write. */
function withoutVersions(subsets: readonly coreV1.EndpointSubset[] = []): JsonValue {
  const strip = (addresses?: readonly coreV1.EndpointAddress[]) =>
    addresses?.map(({ targetRef, ...address }) => {
      if (targetRef === undefined) return address;
      const { resourceVersion: _, ...reference } = targetRef;
      return { ...address, targetRef: reference };
    });
  return subsets.map(({ addresses, notReadyAddresses, ports }) => ({
    addresses: strip(addresses) ?? [],
    notReadyAddresses: strip(notReadyAddresses) ?? [],
    ports: ports ?? [],
  })) as unknown as JsonValue;
}
