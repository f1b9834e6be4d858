// Relations between services and pods, with an index in each direction: a namespace may have thousands of both.
import type { ObjectView } from "@orch/client";
import { metaOf, namespaceOf } from "@orch/machinery";
import type { coreV1, JsonObject } from "@orch/schema";

/** Index of pods by each of their labels. */
export const BY_LABEL = "label";
/** Index of services by one label of their selector. */
export const BY_ANCHOR = "anchor";

export const labelValues = (pod: coreV1.Pod): readonly string[] =>
  pairsOf(namespaceOf(pod as JsonObject), labelsOf(pod));

/**
 * Returns the index value of a service: one label of its selector suffices. The last one is used, as it is rarely
 * shared by all pods.
 */
export function anchorValues(service: coreV1.Service): readonly string[] {
  return pairsOf(namespaceOf(service as JsonObject), service.spec?.selector ?? {}).slice(-1);
}

/** Returns whether the service has a selector. Endpoints of services without one are managed elsewhere. */
export const hasSelector = ({ spec }: coreV1.Service): boolean => Object.keys(spec?.selector ?? {}).length > 0;

function selects({ spec }: coreV1.Service, labels: Readonly<Record<string, string>>): boolean {
  const pairs = Object.entries(spec?.selector ?? {});
  return pairs.length > 0 && pairs.every(([key, value]) => labels[key] === value);
}

export function podsBehind(service: coreV1.Service, pods: ObjectView<coreV1.Pod>): readonly coreV1.Pod[] {
  const [anchor] = anchorValues(service);
  if (anchor === undefined) return [];
  return pods.byIndex(BY_LABEL, anchor).filter((pod) => selects(service, labelsOf(pod)));
}

export function servicesOf(pod: coreV1.Pod, services: ObjectView<coreV1.Service>): readonly coreV1.Service[] {
  const labels = labelsOf(pod);
  return labelValues(pod).flatMap((value) =>
    services.byIndex(BY_ANCHOR, value).filter((service) => selects(service, labels)),
  );
}

/**
 * Returns the services whose endpoints a change of a pod may affect.
 * @param before undefined: the pod is new
 */
export function servicesOfChange(
  before: coreV1.Pod | undefined,
  after: coreV1.Pod,
  services: ObjectView<coreV1.Service>,
): readonly coreV1.Service[] {
  if (before === undefined) return servicesOf(after, services);
  const now = servicesOf(after, services);
  if (reachOf(before) !== reachOf(after)) return [...new Set([...now, ...servicesOf(before, services)])];
  if (sameLabels(labelsOf(before), labelsOf(after))) return [];
  const then = servicesOf(before, services);
  return [...now.filter((each) => !then.includes(each)), ...then.filter((each) => !now.includes(each))];
}

/** Returns the parts of a pod that affect endpoints, except its labels. */
function reachOf(pod: coreV1.Pod): string {
  const { metadata, spec, status } = pod;
  return JSON.stringify([
    metadata?.uid,
    Boolean(metadata?.deletionTimestamp),
    spec?.nodeName,
    spec?.hostname,
    spec?.subdomain,
    status?.phase,
    status?.podIP,
    status?.podIPs,
    isReady(pod),
  ]);
}

export const isReady = ({ status }: coreV1.Pod): boolean =>
  status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True") === true;

export const isBeingDeleted = ({ metadata }: coreV1.Pod): boolean => Boolean(metadata?.deletionTimestamp);

/** @param always whether the restart policy is ignored */
export function hasEnded({ spec, status }: coreV1.Pod, always: boolean): boolean {
  switch (status?.phase) {
    case "Succeeded":
      return always || spec?.restartPolicy === "Never" || spec?.restartPolicy === "OnFailure";
    case "Failed":
      return always || spec?.restartPolicy === "Never";
    default:
      return false;
  }
}

/** @returns undefined when the pod has no such port */
export function portNumber(
  pod: coreV1.Pod,
  { port, targetPort = port, protocol = "TCP" }: coreV1.ServicePort,
): number | undefined {
  if (typeof targetPort === "number") return targetPort;
  for (const { ports = [] } of pod.spec?.containers ?? []) {
    const found = ports.find((each) => each.name === targetPort && (each.protocol ?? "TCP") === protocol);
    if (found !== undefined) return found.containerPort;
  }
  return undefined;
}

/** Returns the DNS name of a pod below that of its service. */
export function hostnameOf({ spec }: coreV1.Pod, service: coreV1.Service): string | undefined {
  return spec?.hostname && spec.subdomain === service.metadata?.name ? spec.hostname : undefined;
}

/** Returns whether the service has no cluster IP. */
export function isHeadless({ spec }: coreV1.Service): boolean {
  return spec?.clusterIP === undefined || spec.clusterIP === "" || spec.clusterIP === "None";
}

/** @param namesVersion whether the reference contains the pod's resource version */
export function podReference({ metadata = {} }: coreV1.Pod, namesVersion: boolean): coreV1.ObjectReference {
  const { namespace = "", name = "", uid = "", resourceVersion = "" } = metadata;
  return { kind: "Pod", namespace, name, uid, ...(namesVersion ? { resourceVersion } : {}) };
}

const labelsOf = (pod: coreV1.Pod): Readonly<Record<string, string>> => metaOf(pod as JsonObject).labels ?? {};

const pairsOf = (namespace: string, labels: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(labels).map(([key, value]) => `${namespace}/${key}=${value}`);

function sameLabels(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}
