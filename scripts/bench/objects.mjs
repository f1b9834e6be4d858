// Objects of the benchmark: ConfigMaps that are served as about 1.3 KB of JSON, in 100 shards; and others, by the
// plural of their kind.

import { vocabularyOf } from "@orch/schema";

const APIEXTENSIONS = vocabularyOf("orch").groups.apiextensions;
export const DEFINITIONS = `/apis/${APIEXTENSIONS}/v1/customresourcedefinitions`;

const SHARDS = 100;
const FILL = "x".repeat(1030);

/**
 * Another server keeps the objects of a run, so each run uses distinct names. The load process inherits the name of its
 * parent.
 */
process.env.BENCH_RUN ??= process.env.AGAINST === undefined ? "bench" : `bench-${Date.now().toString(36)}`;
export const NAMESPACE = process.env.BENCH_RUN;
export const collection = (namespace = NAMESPACE, plural = "configmaps") =>
  `${KINDS[plural].root}/namespaces/${namespace}/${plural}`;
export const objectName = (index) => `object-${String(index).padStart(6, "0")}`;

/** @param of.revision is written into the object, so that an update changes something */
export const objectText = (name, of) => settingsText({ apiVersion: "v1", kind: "ConfigMap" }, name, of);

/** Returns an object of the custom kind with the content of a ConfigMap, to compare their costs. */
const mirrorText = (name, of) => settingsText({ apiVersion: `${MIRROR.group}/v1`, kind: MIRROR.kind }, name, of);

function settingsText(type, name, { namespace = NAMESPACE, index = 0, revision = 0 } = {}) {
  return JSON.stringify({
    ...type,
    metadata: { name, namespace, labels: { shard: `shard-${index % SHARDS}`, app: "bench" } },
    data: { revision: `${revision}`, content: FILL },
  });
}

/** Returns a Deployment as users send it. With defaults and managed fields it is served as about 4 KB. */
function deploymentText(name, { namespace = NAMESPACE, index = 0 } = {}) {
  const labels = { "app.example/name": name, "app.example/part-of": "bench", shard: `shard-${index % SHARDS}` };
  const probe = (path) => ({ httpGet: { path, port: "http" }, initialDelaySeconds: 5, periodSeconds: 10 });
  const container = {
    name: "main",
    image: "registry.example/team/program:1.2.3",
    args: ["--listen=:8080", "--verbose"],
    env: [
      { name: "SHARD", value: `${index % SHARDS}` },
      { name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
      { name: "PASSWORD", valueFrom: { secretKeyRef: { name: "secret", key: "password" } } },
    ],
    ports: [{ name: "http", containerPort: 8080 }],
    resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
    livenessProbe: probe("/live"),
    readinessProbe: probe("/ready"),
    volumeMounts: [
      { name: "config", mountPath: "/etc/program", readOnly: true },
      { name: "scratch", mountPath: "/tmp" },
    ],
  };
  const sidecar = { name: "proxy", image: "registry.example/team/proxy:4", ports: [{ containerPort: 9090 }] };
  return JSON.stringify({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace, labels, annotations: { "bench.example/purpose": "measured" } },
    spec: {
      replicas: 3,
      selector: { matchLabels: { "app.example/name": name } },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: "default",
          containers: [container, sidecar],
          volumes: [
            { name: "config", configMap: { name: "config" } },
            { name: "scratch", emptyDir: {} },
          ],
        },
      },
    },
  });
}

/** Returns a pod that is served as about 2 KB. Pods are the kind most often requested as tables. */
function podText(name, { namespace = NAMESPACE, index = 0 } = {}) {
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
    spec: { containers: [container], serviceAccountName: "default", nodeName: nodeName(index) },
  });
}

/** Number of pods on each node. */
export const PODS_PER_NODE = 30;
const nodeName = (index) => `node-${Math.floor(index / PODS_PER_NODE)}`;

/** The custom kind that mirrors ConfigMaps. */
export const MIRROR = { group: "bench.example", plural: "settings", kind: "Setting" };

export const MIRROR_DEFINITION = definitionOf(MIRROR, [
  {
    name: "v1",
    served: true,
    storage: true,
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: {
          immutable: { type: "boolean" },
          data: { type: "object", additionalProperties: { type: "string" } },
          binaryData: { type: "object", additionalProperties: { type: "string", format: "byte" } },
        },
      },
    },
  },
]);

export function definitionOf({ group, plural, kind }, versions) {
  const apiVersion = `${APIEXTENSIONS}/v1`;
  const names = { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` };
  const metadata = { name: `${plural}.${group}` };
  return {
    apiVersion,
    kind: "CustomResourceDefinition",
    metadata,
    spec: { group, scope: "Namespaced", names, versions },
  };
}

/** Object builders by plural. */
const KINDS = {
  configmaps: { root: "/api/v1", text: objectText },
  deployments: { root: "/apis/apps/v1", text: deploymentText },
  pods: { root: "/api/v1", text: podText },
  [MIRROR.plural]: { root: `/apis/${MIRROR.group}/v1`, text: mirrorText },
};
export const textOf = (plural, name, of) => KINDS[plural].text(name, of);
