// Services, pods and nodes for endpoint tests.
import type { coreV1 } from "@orch/schema";

export interface PodParts {
  readonly labels?: Record<string, string>;
  readonly ips?: readonly string[];
  readonly isReady?: boolean;
  readonly isDeleting?: boolean;
  readonly phase?: string;
  readonly spec?: Partial<coreV1.PodSpec>;
}

/** Returns a ready pod on node `n1` with the address 10.0.0.`number` and a port `http`. */
export function webPod(number: number, parts: PodParts = {}): coreV1.Pod {
  const { labels = { app: "web" }, ips = [`10.0.0.${number}`], isReady = true, phase = "Running", spec = {} } = parts;
  const [podIP] = ips;
  return {
    metadata: {
      name: `web-${number}`,
      namespace: "shop",
      uid: `uid-${number}`,
      resourceVersion: `${100 + number}`,
      labels,
      ...(parts.isDeleting ? { deletionTimestamp: "2024-01-01T00:01:00Z" } : {}),
    },
    spec: {
      nodeName: "n1",
      containers: [{ name: "c", ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }] }],
      ...spec,
    },
    status: {
      phase: phase as "Running",
      ...(podIP === undefined ? {} : { podIP, podIPs: ips.map((ip) => ({ ip })) }),
      conditions: [{ type: "Ready", status: isReady ? "True" : "False", lastTransitionTime: "2024-01-01T00:00:00Z" }],
    },
  };
}

export function webService(
  spec: Partial<coreV1.ServiceSpec> = {},
  metadata: Partial<NonNullable<coreV1.Service["metadata"]>> = {},
): coreV1.Service {
  return {
    metadata: {
      name: "web",
      namespace: "shop",
      uid: "uid-web",
      labels: { team: "a" },
      creationTimestamp: "2023-01-01T00:00:00Z",
      ...metadata,
    },
    spec: {
      selector: { app: "web" },
      clusterIP: "10.1.1.1",
      ipFamilies: ["IPv4"],
      ports: [{ name: "web", port: 80, targetPort: "http", protocol: "TCP" }],
      ...spec,
    },
  };
}

export const zonedNode: coreV1.Node = {
  metadata: { name: "n1", labels: { "topology.orch.io/zone": "z1", "topology.orch.io/region": "r1" } },
};
