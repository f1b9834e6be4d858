// Worst-case objects for the validation rules: the cost must grow in proportion to their size.
import { describe, expect, test } from "@jest/globals";
import { serviceAllocations } from "@orch/apis-core";
import type { JsonObject, JsonValue } from "@orch/schema";
import { type Growing, growthOf, LINEAR_MAX } from "@orch/testing";
import { keyed, names, times, written } from "../testing/written";

const container = (index: number): JsonObject => ({ name: `c${index}`, image: "i" });
const conditions = (count: number): JsonValue =>
  times(count, (index) => ({ type: `x.y/c${index}`, status: "True", reason: "R", message: "" }));

const CASES: Readonly<Record<string, readonly [size: number, Growing]>> = {
  "a pod's containers": [500, written("pod", (size) => ({ "/spec/containers": times(size, container) }))],
  "a pod's ports": [
    2000,
    written("pod", (size) => ({
      "/spec/containers/0/ports": times(size, (index) => ({
        name: `p${index}`,
        containerPort: 1 + (index % 60_000),
        hostPort: 1 + (index % 60_000),
      })),
    })),
  ],
  "a pod's volumes and mounts": [
    500,
    written("pod", (size) => ({
      "/spec/volumes": names(size).map((name) => ({ name, emptyDir: {} })),
      "/spec/containers/0/volumeMounts": names(size).map((name) => ({ name, mountPath: `/${name}` })),
    })),
  ],
  "a pod's variables": [
    400,
    written("pod", (size) => ({
      "/spec/containers/0/env": times(size, (index) => ({
        name: `E${index}`,
        valueFrom: { fieldRef: { fieldPath: `metadata.labels['${"a".repeat(index % 40)}'` } },
      })),
    })),
  ],
  "the path of a variable": [
    20_000,
    written("pod", (size) => ({
      "/spec/containers/0/env": [
        { name: "E", valueFrom: { fieldRef: { fieldPath: `metadata.labels${"['".repeat(size)}` } } },
      ],
    })),
  ],
  "a pod's tolerations": [
    500,
    written(
      "pod",
      (size) => ({
        "/spec/tolerations": times(size, (index) => ({ key: `k${index}`, operator: "Exists" })),
      }),
      (size) => ({
        "/spec/tolerations": times(size, (index) => ({ key: `k${size - index - 1}`, operator: "Exists" })),
      }),
    ),
  ],
  "tolerations in an annotation": [
    500,
    written("pod", (size) => ({
      "/metadata/annotations": {
        "scheduler.alpha.orch.io/tolerations": JSON.stringify(times(size, (index) => ({ key: `k${index}` }))),
      },
    })),
  ],
  "an annotation of brackets": [
    20_000,
    written("pod", (size) => ({
      "/metadata/annotations": { "scheduler.alpha.orch.io/tolerations": "[".repeat(size) },
    })),
  ],
  "a pod's annotations about its containers": [
    150,
    written("pod", (size) => ({
      "/metadata/annotations": Object.fromEntries(
        names(size).map((name) => [`container.apparmor.security.beta.orch.io/${name}`, "runtime/default"]),
      ),
      "/spec/containers": times(size, container),
    })),
  ],
  "containers to look into": [
    500,
    written(
      "pod",
      () => ({}),
      (size) => ({ "/spec/ephemeralContainers": names(size).map((name) => ({ name, image: "i" })) }),
      "ephemeralcontainers",
    ),
  ],
  "the states of containers": [
    500,
    written(
      "pod",
      (size) => ({ "/spec/containers": times(size, container), "/spec/restartPolicy": "Never" }),
      (size) => ({
        "/spec/containers": times(size, container),
        "/status": {
          conditions: conditions(size),
          containerStatuses: times(size, (index) => ({ name: `c${index}`, state: { terminated: { exitCode: 0 } } })),
        },
      }),
      "status",
    ),
  ],
  "a pod's readiness gates": [
    1000,
    written("pod", (size) => ({
      "/spec/readinessGates": times(size, (index) => ({ conditionType: `x.y/c${index}` })),
    })),
  ],
  "what a container asks for": [
    1000,
    written("pod", (size) => ({
      "/spec/containers/0/resources": { limits: keyed(size, () => "1"), requests: keyed(size, () => "1") },
    })),
  ],

  "the path of a volume that is recycled": [
    20_000,
    written("emptyPersistentVolume", (size) => ({
      "/spec/hostPath": { path: `${"/".repeat(size)}x` },
      "/spec/persistentVolumeReclaimPolicy": "Recycle",
    })),
  ],
  "the scopes of a quota": [
    1000,
    written("resourceQuota", (size) => ({
      "/spec/scopes": times(size, (index) => (index % 2 === 0 ? "BestEffort" : `S${index}`)),
      "/spec/hard": keyed(size, () => "1"),
    })),
  ],
  "the limits of a range": [
    200,
    written("limitRange", (size) => ({
      "/spec/limits": times(size, (index) => ({
        type: `x.y/t${index}`,
        max: keyed(10, () => "1"),
        default: { cpu: "1" },
      })),
    })),
  ],
  "keys of a map": [2000, written("configMap", (size) => ({ "/data": keyed(size, () => "v") }))],
  "a service's ports": [
    1000,
    written("service", (size) => ({
      "/spec/ports": times(size, (index) => ({ name: `p${index}`, port: 1 + (index % 60_000), protocol: "TCP" })),
    })),
  ],
  "ports that want one of every node": [
    300,
    (size) => {
      const ranges = { addresses: [{ family: "IPv4" }], nodePorts: { first: 1, last: 65_000 } };
      const allocations = serviceAllocations({ ranges, shown: {}, serviceCidrs: undefined } as never);
      const text = JSON.stringify(times(size, (index) => ({ port: index + 1, protocol: "TCP" })));
      return () => {
        const old = { type: "NodePort", clusterIP: "10.0.0.1", ports: [] };
        const spec = { ...old, ports: JSON.parse(text) };
        let draws = 0;
        const random = () => {
          draws += 1;
          return (draws * 0.381966) % 1;
        };
        allocations.allocate?.({ spec }, { spec: old }, { taken: () => false, random } as never);
      };
    },
  ],
  "endpoints and their ports": [
    500,
    written("endpoints", (size) => ({
      "/subsets": [
        {
          addresses: times(size, (index) => ({ ip: `10.0.${index >> 7}.${index & 127}` })),
          ports: times(size, (index) => ({ name: `p${index}`, port: 80 + index })),
        },
      ],
    })),
  ],
  "slices of endpoints": [
    500,
    written("endpointSlice", (size) => ({
      "/endpoints": times(size, (index) => ({ addresses: [`10.0.${index % 250}.1`], deprecatedTopology: { a: "b" } })),
    })),
  ],
};

describe("the cost grows no faster than the input", () => {
  test.each(Object.entries(CASES))("%s", async (_name, [size, make]) => {
    expect(await growthOf(make, size)).toBeLessThan(LINEAR_MAX);
  });
});
