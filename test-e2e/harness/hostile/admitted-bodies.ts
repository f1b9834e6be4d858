// The most expensive pods for admission plugins, in a namespace with many LimitRanges, by size; and for the node
// authorizer, which indexes the references of pods.
import { dry, type HostileInput, keyed, sent, times } from "./requests";

const NAMESPACE = "crowded";
const CORE = `/api/v1/namespaces/${NAMESPACE}`;
const PODS = `${CORE}/pods`;
const RANGES = `${CORE}/limitranges`;
const TOLERATIONS = JSON.stringify(times(2000, (at) => ({ key: `n${at}`, operator: "Exists" })));

/** The namespace of the pods: a hundred LimitRanges, each with a default and a bound of its own. */
const space = [
  sent("POST", "/api/v1/namespaces", {
    metadata: {
      name: NAMESPACE,
      annotations: {
        "scheduler.alpha.kubernetes.io/defaultTolerations": TOLERATIONS,
        "scheduler.alpha.kubernetes.io/tolerationsWhitelist": `[{"operator":"Exists"}]`,
        "scheduler.alpha.kubernetes.io/node-selector": times(500, (at) => `k${at}=v`).join(),
      },
    },
  }),
  ...times(100, (at) =>
    sent("POST", RANGES, {
      metadata: { name: `range-${at}` },
      spec: {
        limits: [
          {
            type: "Container",
            default: { cpu: "2" },
            max: { cpu: `${1000 + at}` },
            min: { cpu: `${at}u` },
            maxLimitRequestRatio: { cpu: "1000" },
          },
          { type: "Pod", max: { cpu: `${1000000 + at}` } },
        ],
      },
    }),
  ),
];

const container = (at: number) => ({
  name: `c${at}`,
  image: "i",
  resources: { requests: { cpu: `${at + 1}m` }, limits: { cpu: `${at + 2}m` } },
});

const pod = (spec: object, metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", ...metadata },
  spec: { containers: [container(0)], ...spec },
});

const before = () => space;

const NODES_PODS = "/api/v1/namespaces/default/pods";
/** Whether the kubelet may read an object that no pod references: decided only after all pods are indexed. */
const isReferred = sent("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {
  spec: {
    user: "system:node:worker",
    groups: ["system:nodes"],
    resourceAttributes: { verb: "get", namespace: "default", resource: "secrets", name: "of-nobody" },
  },
});

/** A running pod: references are indexed only for pods on a node. */
const running = (spec: object) => sent("POST", NODES_PODS, pod({ nodeName: "worker", ...spec }, { name: "referring" }));
const gone = () => [{ method: "DELETE", path: `${NODES_PODS}/referring?gracePeriodSeconds=0` }];

export const HOSTILE_PODS: readonly HostileInput[] = [
  {
    what: "admission: a pod's containers, by a hundred ranges",
    size: 30_000,
    before,
    request: (size) => dry(PODS, pod({ containers: times(size, container) })),
  },
  {
    what: "admission: a pod's containers that ranges make large",
    size: 250,
    before: () => [
      ...space,
      ...times(9, (at) =>
        sent("POST", RANGES, {
          metadata: { name: `filling-${at}` },
          spec: { limits: [{ type: "Container", default: { [`example.com/r${at}`]: "1" } }] },
        }),
      ),
    ],
    request: (size) => dry(PODS, pod({ containers: times(size, (at) => ({ name: `c${at}`, image: "i" })) })),
  },
  {
    what: "admission: what a container asks for, by a hundred ranges",
    size: 2000,
    before,
    request: (size) => {
      const amounts = keyed(size / 2, () => "1");
      const named = Object.fromEntries(Object.entries(amounts).map(([name, text]) => [`example.com/${name}`, text]));
      const resources = { requests: { cpu: "1", ...named }, limits: { cpu: "1", ...named } };
      return dry(PODS, pod({ containers: [{ name: "c", image: "i", resources }] }));
    },
  },
  {
    what: "admission: a pod's tolerations",
    size: 60_000,
    before,
    request: (size) => dry(PODS, pod({ tolerations: times(size, (at) => ({ key: `k${at}`, operator: "Exists" })) })),
  },
  {
    what: "admission: a pod's tolerations of one key",
    size: 35_000,
    before,
    request: (size) =>
      dry(
        PODS,
        pod({
          tolerations: times(size, (at) => ({
            ...{ key: "k", operator: "Exists", effect: "NoExecute" },
            tolerationSeconds: at,
          })),
        }),
      ),
  },
  {
    what: "admission: a pod's tolerations, not quite too many for the loop",
    size: 600,
    before,
    request: (size) => dry(PODS, pod({ tolerations: times(size, (at) => ({ key: `k${at}`, operator: "Exists" })) })),
  },
  {
    what: "admission: a pod's annotations",
    size: 100_000,
    before,
    request: (size) => dry(PODS, pod({}, { annotations: keyed(size, () => "v") })),
  },
  {
    what: "admission: a pod's node selector",
    size: 60_000,
    before,
    request: (size) => dry(PODS, pod({ nodeSelector: keyed(size, () => "v") })),
  },
  {
    what: "admission: ranges of many amounts, looked at for the first time",
    size: 40,
    before: (size) => [
      ...space,
      ...times(size, (at) =>
        sent("PUT", `${RANGES}/large-${at}`, {
          metadata: { name: `large-${at}`, annotations: { at: `${Math.random()}` } },
          spec: { limits: [{ type: "PersistentVolumeClaim", max: { storage: "1", ...keyed(15_000, () => "1") } }] },
        }),
      ),
    ],
    request: () => dry(PODS, pod({})),
  },
  {
    what: "node: what a pod's volumes of many parts refer to",
    size: 70,
    before: gone,
    request: (size) =>
      running({
        volumes: times(size, (at) => ({
          name: `v${at}`,
          projected: { sources: times(500, (source) => ({ secret: { name: `s${at}-${source}` } })) },
        })),
      }),
    settled: isReferred,
  },
];
