// The objects of the benchmark: ConfigMaps that are served as about 1.3 KB of JSON, in 100 shards.

const SHARDS = 100;
const FILL = "x".repeat(1030);

export const NAMESPACE = "bench";
export const collection = (namespace = NAMESPACE, plural = "configmaps") => `/api/v1/namespaces/${namespace}/${plural}`;
export const objectName = (index) => `object-${String(index).padStart(6, "0")}`;

/** @param revision goes into the object, so that an update changes something */
export function objectText(name, { namespace = NAMESPACE, index = 0, revision = 0 } = {}) {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace, labels: { shard: `shard-${index % SHARDS}`, app: "bench" } },
    data: { revision: `${revision}`, content: FILL },
  });
}

/** Served as about 2 KB: tables are asked for pods more than for anything else. */
export function podText(name, { namespace = NAMESPACE, index = 0 } = {}) {
  const container = {
    name: "main",
    image: "registry.example/team/program:1.2.3",
    args: ["--listen=:8080", "--verbose"],
    env: [{ name: "SHARD", value: `${index % SHARDS}` }],
    ports: [{ name: "http", containerPort: 8080 }],
    resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
  };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, labels: { shard: `shard-${index % SHARDS}`, app: "bench" } },
    spec: { containers: [container], serviceAccountName: "default" },
  });
}

/** By the plural of what they are. */
export const OBJECT_TEXTS = { configmaps: objectText, pods: podText };
