// Requests that most servers get. What a server runs for them is compiled by the build.
const ROUNDS = 20;
const MAPS = "/api/v1/namespaces/default/configmaps";
const GROUP = "typical.example.com";

const labels = { app: "typical" };
const meta = { metadata: { name: "typical" } };
const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "registry.example/app:1" }] } };
const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];

/** Objects by the path of their collection. */
const OBJECTS = [
  ["/api/v1/namespaces", "v1", "Namespace", meta],
  ["/api/v1/namespaces/default/serviceaccounts", "v1", "ServiceAccount", meta],
  ["/api/v1/namespaces/default/secrets", "v1", "Secret", { ...meta, stringData: { key: "value" } }],
  [
    "/api/v1/namespaces/default/services",
    "v1",
    "Service",
    { ...meta, spec: { selector: labels, ports: [{ port: 80 }] } },
  ],
  ["/api/v1/namespaces/default/pods", "v1", "Pod", { ...meta, ...template, metadata: { name: "typical", labels } }],
  ["/api/v1/nodes", "v1", "Node", meta],
  [
    "/apis/apps/v1/namespaces/default/deployments",
    "apps/v1",
    "Deployment",
    { ...meta, spec: { selector: { matchLabels: labels }, template } },
  ],
  [
    "/apis/apps/v1/namespaces/default/statefulsets",
    "apps/v1",
    "StatefulSet",
    { ...meta, spec: { serviceName: "typical", selector: { matchLabels: labels }, template } },
  ],
  [
    "/apis/apps/v1/namespaces/default/daemonsets",
    "apps/v1",
    "DaemonSet",
    { ...meta, spec: { selector: { matchLabels: labels }, template } },
  ],
  [
    "/apis/batch/v1/namespaces/default/jobs",
    "batch/v1",
    "Job",
    { ...meta, spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } } },
  ],
  [
    "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles",
    "rbac.authorization.k8s.io/v1",
    "Role",
    { ...meta, rules },
  ],
  [
    "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings",
    "rbac.authorization.k8s.io/v1",
    "RoleBinding",
    {
      ...meta,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "typical" },
      subjects: [{ kind: "ServiceAccount", name: "typical", namespace: "default" }],
    },
  ],
  [
    "/apis/coordination.k8s.io/v1/namespaces/default/leases",
    "coordination.k8s.io/v1",
    "Lease",
    { ...meta, spec: { holderIdentity: "typical" } },
  ],
  [
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
    definition(),
  ],
];

/** @param ask sends a request @returns when all requests have been answered */
export async function typicalRequests(ask) {
  // This watch stays open until the process exits.
  ask("GET", `${MAPS}?watch=1`).catch(() => {});
  for (let round = 0; round < ROUNDS; round += 1) await changeOften(ask, `round-${round}`);
  for (const [path, apiVersion, kind, rest] of OBJECTS) {
    await ask("POST", path, { apiVersion, kind, ...rest });
    await ask("GET", `${path}?limit=500`, undefined, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" });
  }
  const custom = `/apis/${GROUP}/v1/namespaces/default/typicals`;
  await ask("POST", custom, { apiVersion: `${GROUP}/v1`, kind: "Typical", ...meta, spec: { size: 1 } });
  await ask("GET", custom);
  await ask("POST", MAPS, "kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: yaml\n", {
    "content-type": "application/yaml",
  });
  const review = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { resourceAttributes: { verb: "get", resource: "pods" } },
  };
  await ask("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review);
  const discovery = { accept: "application/json;v=v2;g=apidiscovery.k8s.io;as=APIGroupDiscoveryList" };
  for (const path of ["/readyz", "/version", "/api", "/apis", "/metrics"]) await ask("GET", path);
  for (const path of ["/api", "/apis"]) await ask("GET", path, undefined, discovery);
}

async function changeOften(ask, name) {
  const map = { kind: "ConfigMap", apiVersion: "v1", metadata: { name }, data: { round: name } };
  const one = `${MAPS}/${name}`;
  await ask("POST", MAPS, map);
  await ask("GET", one);
  await ask("PUT", one, map);
  await ask("PATCH", one, { data: { more: "1" } }, { "content-type": "application/merge-patch+json" });
  await ask("PATCH", `${one}?fieldManager=build`, map, { "content-type": "application/apply-patch+yaml" });
  await ask("GET", `${MAPS}?limit=2`);
  await ask("DELETE", one);
}

function definition() {
  const schema = {
    type: "object",
    properties: { spec: { type: "object", properties: { size: { type: "integer" } } } },
  };
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }];
  const names = { plural: "typicals", singular: "typical", kind: "Typical" };
  return { metadata: { name: `typicals.${GROUP}` }, spec: { group: GROUP, scope: "Namespaced", names, versions } };
}
