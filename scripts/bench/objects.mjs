// The objects of the benchmark: ConfigMaps that are served as about 1.3 KB of JSON, in 100 shards.

const SHARDS = 100;
const FILL = "x".repeat(1030);

export const NAMESPACE = "bench";
export const collection = (namespace = NAMESPACE) => `/api/v1/namespaces/${namespace}/configmaps`;
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
