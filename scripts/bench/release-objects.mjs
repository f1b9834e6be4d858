// Objects of the comparison of two releases, as the clients of a cluster send them: a pod of a Deployment as its
// controller creates it from a template with defaults, and the objects of the other kinds as users apply them.

const ZONE_KEYS = ["kubernetes.io/hostname", "topology.kubernetes.io/zone"];
const SINCE = "2026-01-01T00:00:00Z";

const probe = (path) => ({
  httpGet: { path, port: "http", scheme: "HTTP" },
  initialDelaySeconds: 5,
  timeoutSeconds: 1,
  periodSeconds: 10,
  successThreshold: 1,
  failureThreshold: 3,
});

const ended = {
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
  imagePullPolicy: "IfNotPresent",
};

const program = {
  name: "main",
  image: "registry.example/team/program:1.2.3",
  args: ["--listen=:8080", "--verbose"],
  env: [
    { name: "SHARD", value: "7" },
    { name: "NODE", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "spec.nodeName" } } },
    { name: "PASSWORD", valueFrom: { secretKeyRef: { name: "secret", key: "password" } } },
  ],
  ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
  resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
  livenessProbe: probe("/live"),
  readinessProbe: probe("/ready"),
  securityContext: { allowPrivilegeEscalation: false, runAsNonRoot: true, capabilities: { drop: ["ALL"] } },
  volumeMounts: [
    { name: "config", mountPath: "/etc/program", readOnly: true },
    { name: "scratch", mountPath: "/tmp" },
  ],
  ...ended,
};

const proxy = {
  name: "proxy",
  image: "registry.example/team/proxy:4",
  ports: [{ containerPort: 9090, protocol: "TCP" }],
  resources: { requests: { cpu: "10m", memory: "32Mi" } },
  readinessProbe: probe("/proxy"),
  ...ended,
};

const spread = (topologyKey) => ({
  maxSkew: 1,
  topologyKey,
  whenUnsatisfiable: "ScheduleAnyway",
  labelSelector: { matchLabels: { app: "bench" } },
});

const podSpec = {
  serviceAccountName: "default",
  serviceAccount: "default",
  restartPolicy: "Always",
  terminationGracePeriodSeconds: 30,
  dnsPolicy: "ClusterFirst",
  schedulerName: "default-scheduler",
  securityContext: { fsGroup: 2000, seccompProfile: { type: "RuntimeDefault" } },
  containers: [program, proxy],
  volumes: [
    { name: "config", configMap: { name: "config", defaultMode: 420 } },
    { name: "scratch", emptyDir: {} },
  ],
  tolerations: [{ key: "dedicated", operator: "Equal", value: "bench", effect: "NoSchedule" }],
  topologySpreadConstraints: ZONE_KEYS.map(spread),
};

const owner = {
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  name: "bench-5d59d67564",
  uid: "f3b2c7a0-6a54-4a2f-9d5e-0d4a5f0b9c11",
  controller: true,
  blockOwnerDeletion: true,
};
const podMetadata = {
  labels: { app: "bench", "pod-template-hash": "5d59d67564" },
  annotations: { "bench.example/purpose": "measured" },
};
const template = { metadata: podMetadata, spec: podSpec };
const jobSpec = { ...podSpec, restartPolicy: "Never" };

/** Returns the kinds of the comparison by plural: the collection in a namespace and the object to create. */
export const KINDS = {
  pods: { path: "/api/v1/namespaces/{namespace}/pods", object: { ...podOf("Pod"), spec: podSpec } },
  deployments: {
    path: "/apis/apps/v1/namespaces/{namespace}/deployments",
    object: {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { labels: { app: "bench" } },
      spec: { replicas: 3, selector: { matchLabels: { app: "bench" } }, template },
    },
  },
  jobs: {
    path: "/apis/batch/v1/namespaces/{namespace}/jobs",
    object: {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { labels: { app: "bench" } },
      spec: { completions: 3, parallelism: 2, template: { ...template, spec: jobSpec } },
    },
  },
  services: {
    path: "/api/v1/namespaces/{namespace}/services",
    object: {
      apiVersion: "v1",
      kind: "Service",
      metadata: { labels: { app: "bench" } },
      spec: { selector: { app: "bench" }, ports: [{ name: "http", port: 80, targetPort: "http" }] },
    },
  },
  nodes: {
    path: "/api/v1/nodes",
    object: {
      apiVersion: "v1",
      kind: "Node",
      metadata: { labels: { "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64" } },
    },
  },
};

function podOf(kind) {
  return { apiVersion: "v1", kind, metadata: { ...podMetadata, ownerReferences: [owner] } };
}

const condition = (type, more) => ({ type, status: "True", lastTransitionTime: SINCE, ...more });
const running = ({ name, image }) => ({
  name,
  image,
  imageID: `${image}@sha256:${"a".repeat(64)}`,
  containerID: `containerd://${"b".repeat(64)}`,
  restartCount: 0,
  ready: true,
  started: true,
  state: { running: { startedAt: SINCE } },
  lastState: {},
});
const figures = { cpu: "8", memory: "32Gi", pods: "110", "ephemeral-storage": "100Gi" };

/** Statuses as the kubelet and the controllers write them. `REVISION` stands for a number that changes. */
export const STATUSES = {
  pods: {
    phase: "Running",
    hostIP: "192.0.2.1",
    podIP: "198.51.100.7",
    podIPs: [{ ip: "198.51.100.7" }],
    qosClass: "Burstable",
    startTime: SINCE,
    conditions: ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map((type) =>
      condition(type, { lastProbeTime: null, message: "REVISION" }),
    ),
    containerStatuses: podSpec.containers.map(running),
  },
  deployments: {
    observedGeneration: 1,
    replicas: 3,
    updatedReplicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
    conditions: ["Available", "Progressing"].map((type) =>
      condition(type, { reason: "Bench", message: "REVISION", lastUpdateTime: SINCE }),
    ),
  },
  jobs: {
    active: 2,
    ready: 2,
    startTime: SINCE,
    uncountedTerminatedPods: {},
    conditions: [condition("Suspended", { status: "False", reason: "Bench", message: "REVISION" })],
  },
  nodes: {
    capacity: figures,
    allocatable: figures,
    addresses: [{ type: "InternalIP", address: "192.0.2.1" }],
    conditions: ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"].map((type) =>
      condition(type, { lastHeartbeatTime: SINCE, reason: "Bench", message: "REVISION" }),
    ),
    images: Array.from({ length: 30 }, (_, index) => ({
      names: [`registry.example/team/image-${index}:1`],
      sizeBytes: 1_000_000 + index,
    })),
  },
};
