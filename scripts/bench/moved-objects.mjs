// Objects of many kinds that name much of the vocabulary, for exports and imports. As a program, it prints a line per
// object: `node moved-objects.mjs VOCABULARY OBJECTS DEFINITIONS`.
import { pathToFileURL } from "node:url";
import { vocabularyOf } from "@orch/schema";

const NAMESPACES = 10;
/** Custom resources that have objects; the others are only defined. */
const USED_DEFINITIONS = 20;

const container = { name: "main", image: "registry.example/app:1", resources: { requests: { cpu: "10m" } } };

/** Returns kinds with namespace: path of the collection and object, of a name and a namespace. */
function namespacedKinds({ labels, annotations, groups, secretTypes, namespaces, taints }) {
  const pod = (app) => ({
    metadata: { labels: { app, [`${labels.app}name`]: app } },
    spec: {
      containers: [container],
      nodeSelector: { [labels.os]: "linux" },
      tolerations: [{ key: taints.nodeNotReady, operator: "Exists", effect: "NoExecute", tolerationSeconds: 30 }],
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: labels.topologyZone,
          whenUnsatisfiable: "ScheduleAnyway",
          labelSelector: { matchLabels: { app } },
        },
      ],
    },
  });
  const workload = (app) => ({ selector: { matchLabels: { app } }, template: pod(app) });
  return [
    ["v1", "configmaps", "ConfigMap", (name) => ({ data: { text: `${name} ${"x".repeat(800)}` } })],
    ["v1", "secrets", "Secret", () => ({ type: secretTypes.basicAuth, stringData: { username: "u", password: "p" } })],
    ["v1", "serviceaccounts", "ServiceAccount", () => ({ automountServiceAccountToken: false })],
    ["v1", "services", "Service", (app) => ({ spec: { selector: { app }, ports: [{ port: 80 }] } })],
    ["v1", "podtemplates", "PodTemplate", (app) => ({ template: pod(app) })],
    [
      "v1",
      "replicationcontrollers",
      "ReplicationController",
      (app) => ({ spec: { selector: { app }, template: pod(app) } }),
    ],
    ["v1", "limitranges", "LimitRange", () => ({ spec: { limits: [{ type: "Container", max: { cpu: "64" } }] } })],
    [
      "v1",
      "persistentvolumeclaims",
      "PersistentVolumeClaim",
      () => ({
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "" },
      }),
    ],
    ["apps/v1", "deployments", "Deployment", (app) => ({ spec: { replicas: 2, ...workload(app) } })],
    ["apps/v1", "replicasets", "ReplicaSet", (app) => ({ spec: { replicas: 1, ...workload(app) } }), "deployments"],
    ["apps/v1", "statefulsets", "StatefulSet", (app) => ({ spec: { serviceName: app, ...workload(app) } })],
    ["apps/v1", "daemonsets", "DaemonSet", (app) => ({ spec: workload(app) })],
    ["apps/v1", "controllerrevisions", "ControllerRevision", () => ({ revision: 1, data: { a: 1 } }), "daemonsets"],
    ["v1", "pods", "Pod", (app) => ({ ...pod(app) }), "replicasets"],
    [
      "batch/v1",
      "jobs",
      "Job",
      () => ({ spec: { template: { spec: { restartPolicy: "Never", containers: [container] } } } }),
    ],
    [
      "batch/v1",
      "cronjobs",
      "CronJob",
      () => ({
        spec: {
          schedule: "0 0 1 1 *",
          jobTemplate: { spec: { template: { spec: { restartPolicy: "Never", containers: [container] } } } },
        },
      }),
    ],
    [
      `${groups.networking}/v1`,
      "networkpolicies",
      "NetworkPolicy",
      () => ({
        spec: {
          podSelector: {},
          ingress: [{ from: [{ namespaceSelector: { matchLabels: { [labels.metadataName]: namespaces.system } } }] }],
        },
      }),
    ],
    [
      `${groups.networking}/v1`,
      "ingresses",
      "Ingress",
      (name) => ({
        metadata: { annotations: { [annotations.ingressClass]: "web" } },
        spec: { defaultBackend: { service: { name, port: { number: 80 } } } },
      }),
    ],
    [
      "policy/v1",
      "poddisruptionbudgets",
      "PodDisruptionBudget",
      (app) => ({ spec: { minAvailable: 1, selector: { matchLabels: { app } } } }),
    ],
    [
      "autoscaling/v2",
      "horizontalpodautoscalers",
      "HorizontalPodAutoscaler",
      (name) => ({ spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name } } }),
    ],
    [
      `${groups.rbac}/v1`,
      "roles",
      "Role",
      () => ({ rules: [{ apiGroups: [groups.networking, ""], resources: ["*"], verbs: ["get"] }] }),
    ],
    [
      `${groups.rbac}/v1`,
      "rolebindings",
      "RoleBinding",
      (name) => ({
        roleRef: { apiGroup: groups.rbac, kind: "Role", name },
        subjects: [{ kind: "ServiceAccount", name: "x", namespace: namespaces.system }],
      }),
    ],
  ];
}

/** Returns kinds without namespace. */
function clusterKinds({ groups, signers, users, namespaces }) {
  const webhook = (domain) => ({
    webhooks: [
      {
        name: `check.${domain}.example.com`,
        clientConfig: { service: { namespace: namespaces.system, name: "hooks" } },
        failurePolicy: "Ignore",
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        rules: [{ apiGroups: ["none.example.com"], apiVersions: ["*"], operations: ["CREATE"], resources: ["*"] }],
      },
    ],
  });
  return [
    [`${groups.scheduling}/v1`, "priorityclasses", "PriorityClass", (_, index) => ({ value: index })],
    [`${groups.storage}/v1`, "storageclasses", "StorageClass", () => ({ provisioner: "disk.example.com" })],
    [`${groups.storage}/v1`, "csidrivers", "CSIDriver", () => ({ spec: { attachRequired: false } })],
    [`${groups.node}/v1`, "runtimeclasses", "RuntimeClass", () => ({ handler: "runc" })],
    [`${groups.networking}/v1`, "ingressclasses", "IngressClass", () => ({ spec: { controller: "example.com/web" } })],
    [
      "v1",
      "persistentvolumes",
      "PersistentVolume",
      () => ({ spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/tmp" } } }),
    ],
    [
      `${groups.rbac}/v1`,
      "clusterroles",
      "ClusterRole",
      () => ({
        rules: [
          {
            apiGroups: [groups.certificates],
            resources: ["signers"],
            resourceNames: [signers.apiserverClient],
            verbs: ["approve"],
          },
        ],
      }),
    ],
    [
      `${groups.rbac}/v1`,
      "clusterrolebindings",
      "ClusterRoleBinding",
      (name) => ({
        roleRef: { apiGroup: groups.rbac, kind: "ClusterRole", name },
        subjects: [{ kind: "User", apiGroup: groups.rbac, name: users.scheduler }],
      }),
    ],
    [
      `${groups.admissionregistration}/v1`,
      "validatingwebhookconfigurations",
      "ValidatingWebhookConfiguration",
      webhook,
    ],
    [`${groups.admissionregistration}/v1`, "mutatingwebhookconfigurations", "MutatingWebhookConfiguration", webhook],
  ];
}

function definition(index, { schemaExtensions }) {
  const group = `g${index % 40}.example.com`;
  const plural = `widgets${index}`;
  const properties = {
    size: { type: "integer" },
    port: { [schemaExtensions.intOrString]: true },
    rest: { type: "object", [schemaExtensions.preserveUnknownFields]: true },
  };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } } };
  return {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, singular: `widget${index}`, kind: `Widget${index}` },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
}

/**
 * Yields `{ apiVersion, resource, kind, namespace, object, ownerResource }` in an order in which they can be created.
 * Owners have the same name as what they own.
 */
export function* movedObjects(vocabulary, { objects, definitions }) {
  const { groups, annotations } = vocabulary;
  const apiVersion = `${groups.apiextensions}/v1`;
  for (let index = 0; index < definitions; index += 1) {
    const object = definition(index, vocabulary);
    yield { apiVersion, resource: "customresourcedefinitions", kind: "CustomResourceDefinition", object };
  }
  for (let index = 0; index < NAMESPACES; index += 1) {
    yield {
      apiVersion: "v1",
      resource: "namespaces",
      kind: "Namespace",
      object: { metadata: { name: `moved-${index}` } },
    };
  }
  const builtIn = namespacedKinds(vocabulary);
  const cluster = clusterKinds(vocabulary);
  const custom = Array.from({ length: Math.min(USED_DEFINITIONS, definitions) }, (_, index) => {
    const { spec } = definition(index, vocabulary);
    return [
      `${spec.group}/v1`,
      spec.names.plural,
      spec.names.kind,
      () => ({ spec: { size: index, port: "web", rest: { a: [1] } } }),
    ];
  });
  const all = [
    ...cluster.map((row) => [row, false]),
    ...builtIn.map((row) => [row, true]),
    ...custom.map((row) => [row, true]),
  ];
  const left = objects - definitions - NAMESPACES;
  for (const [at, [[version, resource, kind, make, ownerResource], hasNamespace]] of all.entries()) {
    const count = Math.floor(left / all.length) + (at < left % all.length ? 1 : 0);
    for (let index = 0; index < count; index += 1) {
      const name = `object-${index}`;
      const made = make(name, index);
      const metadata = {
        ...made.metadata,
        name,
        annotations: { ...made.metadata?.annotations, [annotations.changeCause]: `the change ${index}` },
        ...(hasNamespace && { namespace: `moved-${index % NAMESPACES}` }),
      };
      yield {
        apiVersion: version,
        resource,
        kind,
        namespace: metadata.namespace,
        ownerResource,
        object: { ...made, metadata },
      };
    }
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [name, objects, definitions] = process.argv.slice(2);
  const made = movedObjects(vocabularyOf(name), { objects: Number(objects), definitions: Number(definitions) });
  for (const each of made) process.stdout.write(`${JSON.stringify(each)}\n`);
}
