// Cached parts of objects that several controllers read. The rest of a pod is many times as large, and there are tens
// of thousands of pods.
import type { coreV1 } from "@orch/schema";

/** Returns the named members that are present. */
function only<T extends object, Name extends keyof T>(object: T | undefined, names: readonly Name[]): Pick<T, Name> {
  const part: Partial<Pick<T, Name>> = {};
  if (object !== undefined) for (const name of names) if (object[name] !== undefined) part[name] = object[name];
  return part as Pick<T, Name>;
}

const IDENTITY = [
  "name",
  "namespace",
  "uid",
  "resourceVersion",
  "labels",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

/** Keeps the parts of a pod that describe its addresses, readiness and owner. */
export function reachablePod({ metadata, spec, status }: coreV1.Pod): coreV1.Pod {
  const named = (spec?.containers ?? []).flatMap(({ ports = [] }) => ports.filter(({ name }) => Boolean(name)));
  const ready = (status?.conditions ?? []).filter(({ type }) => type === "Ready");
  const owner = metadata?.ownerReferences?.find(({ controller }) => controller === true);
  return {
    metadata: {
      ...only(metadata, IDENTITY),
      ...(owner && { ownerReferences: [only(owner, ["apiVersion", "kind", "name", "uid", "controller"])] }),
    },
    spec: {
      ...only(spec, ["nodeName", "hostname", "subdomain", "restartPolicy"]),
      containers:
        named.length === 0
          ? NO_CONTAINERS
          : [{ name: "", ports: named.map((port) => only(port, ["name", "protocol", "containerPort"])) }],
    },
    status: {
      ...only(status, ["phase", "podIP", "podIPs"]),
      ...(ready.length === 0
        ? {}
        : { conditions: ready.map((condition) => only(condition, ["type", "status", "lastTransitionTime"])) }),
    },
  } as coreV1.Pod;
}

const NO_CONTAINERS: coreV1.Container[] = [];

/** Keeps the parts of a service that select its pods and define its ports. */
export function routedService({ metadata, spec }: coreV1.Service): coreV1.Service {
  return {
    metadata: only(metadata, [...IDENTITY, "annotations"]),
    spec: only(spec, [
      "selector",
      "ports",
      "clusterIP",
      "ipFamilies",
      "type",
      "publishNotReadyAddresses",
      "trafficDistribution",
    ]),
  };
}

/** Keeps the labels of a node, which describe its location. */
export function placedNode({ metadata }: coreV1.Node): coreV1.Node {
  return { metadata: only(metadata, ["name", "uid", "resourceVersion", "labels"]) };
}
