// Objects across releases: objects written in a version that a release removes are readable in the next release, and
// back. Source: Kubernetes documentation, "Deprecated API Migration Guide".
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import { openStore, type Store } from "@orch/store";
import forge from "node-forge";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";

const before = (release: string) => `1.${Number(release.split(".")[1]) - 1}`;

const template = { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: "i:1" }] } };
const selector = { matchLabels: { app: "x" } };
const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
const roleRef = { apiGroup: "rbac.authorization.orch.io", kind: "Role", name: "r" };
const subjects = [{ kind: "User", apiGroup: "rbac.authorization.orch.io", name: "ann" }];
const clientConfig = { url: "https://hook.example/x" };
const hook = {
  name: "a.b.example",
  clientConfig,
  rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }],
};
const hookV1 = { ...hook, sideEffects: "None", admissionReviewVersions: ["v1"] };
const subset = { spec: { group: "g.example", names: { plural: "widgets", kind: "Widget" }, scope: "Namespaced" } };

/** A certificate signing request in the encoding of its object. */
function certificateRequest(): string {
  const keys = forge.pki.rsa.generateKeyPair(1024);
  const request = forge.pki.createCertificationRequest();
  request.publicKey = keys.publicKey;
  request.setSubject([{ name: "commonName", value: "ann" }]);
  request.sign(keys.privateKey);
  return Buffer.from(forge.pki.certificationRequestToPem(request)).toString("base64");
}

interface Row {
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly old: string;
  readonly now: string;
  /** Members besides metadata, as written in the old version. */
  readonly object: JsonObject;
  /** Set for kinds with naming rules of their own. */
  readonly name?: string;
  /** Representation in the new version, if different. */
  readonly shown?: JsonObject;
  /** Representation in the old version after a write through the new one, if different from what was written. */
  readonly back?: JsonObject;
}

const row = (
  [kind, plural, scope]: readonly [string, string, ("Cluster" | "Namespaced")?],
  old: string,
  now: string,
  object: JsonObject,
  more: Pick<Row, "name" | "shown" | "back"> = {},
): Row => ({ kind, plural, namespaced: scope !== "Cluster", old, now, object, ...more });

const EXTENSIONS = "extensions/v1beta1";
const NETWORKING = "networking.orch.io";
const RBAC = "rbac.authorization.orch.io";
const STORAGE = "storage.orch.io";
const ADMISSION = "admissionregistration.orch.io";

const DEPLOYMENT = ["Deployment", "deployments"] as const;
const DAEMON_SET = ["DaemonSet", "daemonsets"] as const;
const STATEFUL_SET = ["StatefulSet", "statefulsets"] as const;
const ROLLING = { rollingUpdate: { maxUnavailable: 1, maxSurge: 1 }, type: "RollingUpdate" };

const ROWS: Readonly<Record<string, readonly Row[]>> = {
  "1.16": [
    row(["NetworkPolicy", "networkpolicies"], EXTENSIONS, `${NETWORKING}/v1`, {
      spec: { podSelector: selector, ingress: [{ from: [{ podSelector: selector }] }] },
    }),
    row(
      DAEMON_SET,
      EXTENSIONS,
      "apps/v1",
      { spec: { template } },
      {
        shown: { spec: { selector, updateStrategy: { type: "OnDelete" } } },
        back: { spec: { template, templateGeneration: 1 } },
      },
    ),
    row(
      DAEMON_SET,
      "apps/v1beta2",
      "apps/v1",
      { spec: { selector, template } },
      {
        shown: { spec: { selector, updateStrategy: { type: "RollingUpdate" } } },
      },
    ),
    row(
      DEPLOYMENT,
      EXTENSIONS,
      "apps/v1",
      { spec: { template, rollbackTo: { revision: 2 } } },
      {
        shown: {
          metadata: { annotations: { "deprecated.deployment.rollback.to": "2" } },
          spec: { selector, strategy: ROLLING, progressDeadlineSeconds: 2147483647, revisionHistoryLimit: 2147483647 },
        },
      },
    ),
    row(
      DEPLOYMENT,
      "apps/v1beta1",
      "apps/v1",
      { spec: { template } },
      {
        shown: {
          spec: {
            selector,
            strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } },
            progressDeadlineSeconds: 600,
            revisionHistoryLimit: 2,
          },
        },
      },
    ),
    row(
      DEPLOYMENT,
      "apps/v1beta2",
      "apps/v1",
      { spec: { selector, template } },
      {
        shown: { spec: { progressDeadlineSeconds: 600, revisionHistoryLimit: 10 } },
      },
    ),
    row(
      STATEFUL_SET,
      "apps/v1beta1",
      "apps/v1",
      { spec: { serviceName: "s", template } },
      {
        shown: { spec: { selector, updateStrategy: { type: "OnDelete" } } },
      },
    ),
    row(
      STATEFUL_SET,
      "apps/v1beta2",
      "apps/v1",
      { spec: { serviceName: "s", selector, template } },
      {
        shown: { spec: { updateStrategy: { type: "RollingUpdate" } } },
      },
    ),
    row(
      ["ReplicaSet", "replicasets"],
      EXTENSIONS,
      "apps/v1",
      { spec: { template } },
      { shown: { spec: { selector } } },
    ),
    row(["ReplicaSet", "replicasets"], "apps/v1beta2", "apps/v1", { spec: { selector, template } }),
    row(["PodSecurityPolicy", "podsecuritypolicies", "Cluster"], EXTENSIONS, "policy/v1beta1", {
      spec: {
        seLinux: { rule: "RunAsAny" },
        runAsUser: { rule: "RunAsAny" },
        fsGroup: { rule: "RunAsAny" },
        supplementalGroups: { rule: "RunAsAny" },
      },
    }),
  ],
  "1.22": [
    row(
      ["MutatingWebhookConfiguration", "mutatingwebhookconfigurations", "Cluster"],
      `${ADMISSION}/v1beta1`,
      `${ADMISSION}/v1`,
      { webhooks: [hookV1] },
      {
        shown: { webhooks: [{ name: hook.name, failurePolicy: "Ignore", matchPolicy: "Exact", timeoutSeconds: 30 }] },
      },
    ),
    row(
      ["ValidatingWebhookConfiguration", "validatingwebhookconfigurations", "Cluster"],
      `${ADMISSION}/v1beta1`,
      `${ADMISSION}/v1`,
      { webhooks: [hookV1] },
    ),
    row(
      ["CustomResourceDefinition", "customresourcedefinitions", "Cluster"],
      "apiextensions.orch.io/v1beta1",
      "apiextensions.orch.io/v1",
      {
        spec: {
          ...subset.spec,
          version: "v1",
          validation: { openAPIV3Schema: { type: "object" } },
          subresources: { status: {} },
          additionalPrinterColumns: [{ name: "Size", type: "integer", JSONPath: ".spec.size" }],
          preserveUnknownFields: false,
        },
      },
      {
        name: "widgets.g.example",
        shown: {
          spec: {
            ...subset.spec,
            versions: [
              {
                name: "v1",
                served: true,
                storage: true,
                schema: { openAPIV3Schema: { type: "object" } },
                subresources: { status: {} },
                additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
              },
            ],
          },
        },
      },
    ),
    row(
      ["APIService", "apiservices", "Cluster"],
      "apiregistration.orch.io/v1beta1",
      "apiregistration.orch.io/v1",
      {
        spec: {
          group: "r.example",
          version: "v1",
          service: { namespace: "ns", name: "s" },
          insecureSkipTLSVerify: true,
          groupPriorityMinimum: 10,
          versionPriority: 10,
        },
      },
      { name: "v1.r.example" },
    ),
    row(
      ["CertificateSigningRequest", "certificatesigningrequests", "Cluster"],
      "certificates.orch.io/v1beta1",
      "certificates.orch.io/v1",
      {
        spec: { request: certificateRequest(), signerName: "s.example/x", usages: ["client auth"] },
      },
    ),
    row(["Lease", "leases"], "coordination.orch.io/v1beta1", "coordination.orch.io/v1", {
      spec: { holderIdentity: "me", leaseDurationSeconds: 5 },
    }),
    row(
      ["Ingress", "ingresses"],
      EXTENSIONS,
      `${NETWORKING}/v1`,
      {
        spec: {
          backend: { serviceName: "s", servicePort: 80 },
          rules: [
            { host: "h.example", http: { paths: [{ path: "/a", backend: { serviceName: "t", servicePort: "web" } }] } },
          ],
        },
      },
      {
        shown: {
          spec: {
            defaultBackend: { service: { name: "s", port: { number: 80 } } },
            rules: [
              {
                host: "h.example",
                http: {
                  paths: [
                    {
                      path: "/a",
                      pathType: "ImplementationSpecific",
                      backend: { service: { name: "t", port: { name: "web" } } },
                    },
                  ],
                },
              },
            ],
          },
        },
      },
    ),
    row(
      ["Ingress", "ingresses"],
      `${NETWORKING}/v1beta1`,
      `${NETWORKING}/v1`,
      { spec: { backend: { serviceName: "s", servicePort: "web" } } },
      {
        shown: { spec: { defaultBackend: { service: { name: "s", port: { name: "web" } } } } },
      },
    ),
    row(["IngressClass", "ingressclasses", "Cluster"], `${NETWORKING}/v1beta1`, `${NETWORKING}/v1`, {
      spec: { controller: "c.example/x" },
    }),
    row(["ClusterRole", "clusterroles", "Cluster"], `${RBAC}/v1beta1`, `${RBAC}/v1`, { rules }),
    row(["ClusterRoleBinding", "clusterrolebindings", "Cluster"], `${RBAC}/v1beta1`, `${RBAC}/v1`, {
      subjects,
      roleRef: { ...roleRef, kind: "ClusterRole" },
    }),
    row(["Role", "roles"], `${RBAC}/v1beta1`, `${RBAC}/v1`, { rules }),
    row(["RoleBinding", "rolebindings"], `${RBAC}/v1beta1`, `${RBAC}/v1`, { subjects, roleRef }),
    row(["PriorityClass", "priorityclasses", "Cluster"], "scheduling.orch.io/v1beta1", "scheduling.orch.io/v1", {
      value: 7,
    }),
    row(["CSIDriver", "csidrivers", "Cluster"], `${STORAGE}/v1beta1`, `${STORAGE}/v1`, {
      spec: { attachRequired: false },
    }),
    row(["CSINode", "csinodes", "Cluster"], `${STORAGE}/v1beta1`, `${STORAGE}/v1`, {
      spec: { drivers: [{ name: "d.example", nodeID: "n" }] },
    }),
    row(["StorageClass", "storageclasses", "Cluster"], `${STORAGE}/v1beta1`, `${STORAGE}/v1`, {
      provisioner: "p.example/x",
    }),
    row(["VolumeAttachment", "volumeattachments", "Cluster"], `${STORAGE}/v1beta1`, `${STORAGE}/v1`, {
      spec: { attacher: "a.example", nodeName: "n", source: { persistentVolumeName: "pv" } },
    }),
  ],
  "1.25": [
    row(["CronJob", "cronjobs"], "batch/v1beta1", "batch/v1", {
      spec: {
        schedule: "* * * * *",
        jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } } },
      },
    }),
    row(
      ["EndpointSlice", "endpointslices"],
      "discovery.orch.io/v1beta1",
      "discovery.orch.io/v1",
      {
        addressType: "IPv4",
        endpoints: [
          {
            addresses: ["10.0.0.1"],
            topology: { "topology.orch.io/zone": "z", "orch.io/hostname": "n", rack: "r" },
            nodeName: "n",
          },
        ],
      },
      {
        shown: {
          endpoints: [{ addresses: ["10.0.0.1"], zone: "z", nodeName: "n", deprecatedTopology: { rack: "r" } }],
        },
      },
    ),
    row(["Event", "events"], "events.orch.io/v1beta1", "events.orch.io/v1", {
      eventTime: "2024-05-01T12:00:00.000000Z",
      reportingController: "c.example/x",
      reportingInstance: "i",
      action: "Did",
      reason: "Because",
      type: "Normal",
      regarding: { kind: "Pod", namespace: "default", name: "p" },
    }),
    row(
      ["HorizontalPodAutoscaler", "horizontalpodautoscalers"],
      "autoscaling/v2beta1",
      "autoscaling/v2",
      {
        spec: {
          scaleTargetRef: { kind: "Deployment", name: "d" },
          maxReplicas: 3,
          metrics: [{ type: "Resource", resource: { name: "memory", targetAverageUtilization: 60 } }],
        },
      },
      {
        shown: {
          spec: {
            metrics: [
              {
                type: "Resource",
                resource: { name: "memory", target: { type: "Utilization", averageUtilization: 60 } },
              },
            ],
          },
        },
      },
    ),
    row(
      ["PodDisruptionBudget", "poddisruptionbudgets"],
      "policy/v1beta1",
      "policy/v1",
      { spec: { minAvailable: 1, selector: {} } },
      {
        shown: {
          spec: {
            selector: {
              matchExpressions: [{ key: "pdb.orch.io/deprecated-v1beta1-empty-selector-match", operator: "Exists" }],
            },
          },
        },
      },
    ),
    row(["RuntimeClass", "runtimeclasses", "Cluster"], "node.orch.io/v1beta1", "node.orch.io/v1", { handler: "runc" }),
  ],
  "1.26": [
    row(
      ["PriorityLevelConfiguration", "prioritylevelconfigurations", "Cluster"],
      "flowcontrol.apiserver.orch.io/v1beta1",
      "flowcontrol.apiserver.orch.io/v1beta2",
      {
        spec: { type: "Limited", limited: { assuredConcurrencyShares: 12, limitResponse: { type: "Reject" } } },
      },
      { name: "level" },
    ),
    row(
      ["FlowSchema", "flowschemas", "Cluster"],
      "flowcontrol.apiserver.orch.io/v1beta1",
      "flowcontrol.apiserver.orch.io/v1beta2",
      {
        spec: {
          priorityLevelConfiguration: { name: "level" },
          rules: [
            {
              subjects: [{ kind: "Group", group: { name: "g" } }],
              nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["/x"] }],
            },
          ],
        },
      },
    ),
    row(["HorizontalPodAutoscaler", "horizontalpodautoscalers"], "autoscaling/v2beta2", "autoscaling/v2", {
      spec: {
        scaleTargetRef: { kind: "Deployment", name: "d" },
        maxReplicas: 3,
        metrics: [
          { type: "Resource", resource: { name: "memory", target: { type: "Utilization", averageUtilization: 60 } } },
        ],
        behavior: { scaleUp: { stabilizationWindowSeconds: 7 } },
      },
    }),
  ],
};

let store: Store;
let server: RunningServer;
let admin: ApiClient;

async function serve(release: string, runtimeConfig: Readonly<Record<string, string>> = {}): Promise<void> {
  server = await startServer({ store, flags: { "emulated-release": release, "runtime-config": runtimeConfig } });
  admin = new ApiClient(server, server.admin);
}

async function end(): Promise<void> {
  admin.close();
  await server.stop();
}

function collection({ namespaced, plural }: Row, apiVersion: string): string {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return namespaced ? `${root}/namespaces/default/${plural}` : `${root}/${plural}`;
}

describe.each(Object.entries(ROWS))("resources removed by %s", (removed, rows) => {
  const named = rows.map((each, position): [string, string, string, Row, string] => [
    each.kind,
    each.old,
    each.now,
    each,
    each.name ?? `it-${position}`,
  ]);
  /** Answers by name and step. */
  const answers = new Map<string, { readonly code: number; readonly json: JsonObject }>();
  const note = (name: string, row: Row, step: string, answer: { code: number; json: unknown }) =>
    answers.set(`${row.plural} ${name} ${step}`, { code: answer.code, json: answer.json as JsonObject });
  const noted = (name: string, row: Row, step: string) => answers.get(`${row.plural} ${name} ${step}`);

  beforeAll(async () => {
    store = await openStore({ kind: "memory" });
    await serve(before(removed));
    for (const [, old, , row, name] of named) {
      const body = { ...row.object, metadata: { name } };
      note(name, row, "written", await admin.post(collection(row, old), body));
    }
    await end();
    await serve(removed);
    for (const [, old, now, row, name] of named) {
      note(name, row, "gone", await admin.get(`${collection(row, old)}/${name}`));
      const read = await admin.get(`${collection(row, now)}/${name}`);
      note(name, row, "read", read);
      const { metadata } = read.json;
      const body = { ...read.json, metadata: { ...metadata, labels: { seen: "yes" } } };
      note(name, row, "updated", await admin.put(`${collection(row, now)}/${name}`, body));
    }
    await end();
    await serve(before(removed));
    for (const [, old, , row, name] of named)
      note(name, row, "back", await admin.get(`${collection(row, old)}/${name}`));
    await end();
    // Starts three servers in sequence.
  }, 60_000);
  afterAll(() => store.close());

  test.each(named)("%s: what %s wrote is read as %s, and back", (_kind, old, now, row, name) => {
    const step = (of: string) => noted(name, row, of);
    expect(step("written")).toMatchObject({ code: 201, json: { apiVersion: old } });
    expect(step("gone")).toMatchObject({ code: 404 });
    expect(step("read")).toMatchObject({ code: 200, json: { apiVersion: now, ...(row.shown ?? row.object) } });
    expect(step("updated")).toMatchObject({ code: 200, json: { metadata: { labels: { seen: "yes" } } } });
    expect(step("back")).toMatchObject({
      code: 200,
      json: { apiVersion: old, metadata: { labels: { seen: "yes" } } },
    });
    expect(step("back")?.json).toMatchObject(row.back ?? row.object);
  });
});

describe("questions that are stored nowhere", () => {
  const REVIEWS = [
    ["authentication.orch.io", "tokenreviews", { spec: { token: "x" } }, {}],
    [
      "authorization.orch.io",
      "subjectaccessreviews",
      { spec: { user: "ann", group: ["system:masters"], nonResourceAttributes: { path: "/x", verb: "get" } } },
      { status: { allowed: true } },
    ],
    [
      "authorization.orch.io",
      "selfsubjectaccessreviews",
      { spec: { nonResourceAttributes: { path: "/x", verb: "get" } } },
      { status: { allowed: true } },
    ],
  ] as const;

  test.each(["1.21", "1.22"])("are answered in the versions of %s", async (release) => {
    store = await openStore({ kind: "memory" });
    await serve(release);
    for (const [group, plural, body, expected] of REVIEWS) {
      const answer = await admin.post(`/apis/${group}/v1beta1/${plural}`, body);
      expect([plural, answer.code]).toEqual([plural, release === "1.21" ? 201 : 404]);
      if (release === "1.21") expect(answer.json).toMatchObject({ ...body, ...expected });
    }
    await end();
    await store.close();
  });
});

describe("batch/v2alpha1, which the releases before 1.21 have", () => {
  const ALPHA = "/apis/batch/v2alpha1/namespaces/default/cronjobs";
  const SWITCHED = { "batch/v2alpha1": "" };
  const versions = async () =>
    ((await admin.get("/apis/batch")).json.versions ?? []).map(({ groupVersion }) => groupVersion);

  beforeAll(async () => {
    store = await openStore({ kind: "memory" });
  });
  afterEach(end);
  afterAll(() => store.close());

  test("is off by default", async () => {
    await serve("1.20");
    expect([await versions(), (await admin.get(ALPHA)).code]).toEqual([["batch/v1", "batch/v1beta1"], 404]);
  });

  test("is served where --runtime-config says so", async () => {
    await serve("1.20", SWITCHED);
    expect(await versions()).toEqual(["batch/v1", "batch/v1beta1", "batch/v2alpha1"]);
    const spec = ROWS["1.25"]?.find(({ kind }) => kind === "CronJob")?.object["spec"];
    const made = await admin.post(ALPHA, { metadata: { name: "job" }, spec });
    expect([made.code, made.json, made.headers["warning"]]).toMatchObject([
      201,
      {
        kind: "CronJob",
        apiVersion: "batch/v2alpha1",
        spec: { concurrencyPolicy: "Allow", failedJobsHistoryLimit: 1 },
      },
      undefined,
    ]);
    const shown = await admin.get(`${ALPHA.replace("v2alpha1", "v1beta1")}/job`);
    expect(shown.json).toMatchObject({ apiVersion: "batch/v1beta1", spec: made.json.spec });
    const status = { lastScheduleTime: "2024-05-01T12:00:00Z" };
    const reported = await admin.put(`${ALPHA}/job/status`, { ...made.json, status });
    expect([reported.code, reported.json.status]).toEqual([200, status]);
    const { definitions } = (await admin.get("/openapi/v2")).json as unknown as { definitions: object };
    expect(Object.keys(definitions).filter((name) => name.includes("batch.v2alpha1.CronJob"))).toHaveLength(4);
  });

  test("is gone from 1.21 on, though its objects stay", async () => {
    await serve("1.21", SWITCHED);
    expect([await versions(), (await admin.get(ALPHA)).code]).toEqual([["batch/v1", "batch/v1beta1"], 404]);
    expect((await admin.get(`${ALPHA.replace("v2alpha1", "v1")}/job`)).json).toMatchObject({ kind: "CronJob" });
  });
});

describe("the rehearsal of the next release", () => {
  beforeAll(async () => {
    store = await openStore({ kind: "memory" });
    await serve("1.24");
  });
  afterAll(async () => {
    await end();
    await store.close();
  });

  test("names who asked for what is going, and whose fields still speak of it", async () => {
    const jobs = "/apis/batch/v1beta1/namespaces/default/cronjobs";
    const spec = ROWS["1.25"]?.find(({ kind }) => kind === "CronJob")?.object["spec"];
    const headers = { "user-agent": "old-tool/1.0" };
    const made = await admin.ask("POST", jobs, { body: { metadata: { name: "job" }, spec }, headers });
    expect(made.headers["warning"]).toContain("batch/v1beta1 CronJob is deprecated in v1.21+, unavailable in v1.25+");
    await admin.ask("GET", `${jobs}/job`, { headers });
    await admin.get("/apis/batch/v1/namespaces/default/cronjobs");
    const report = await admin.get("/debug/deprecations");
    expect(report.json).toMatchObject({
      release: "1.24",
      nextRelease: "1.25",
      requests: [
        {
          group: "batch",
          version: "v1beta1",
          resource: "cronjobs",
          subresource: "",
          removedRelease: "1.25",
          replacement: "batch/v1 CronJob",
          clients: [{ userAgent: "old-tool/1.0", requests: 2, lastRequest: expect.stringMatching(/Z$/) }],
        },
      ],
      managedFields: [
        {
          group: "batch",
          resource: "cronjobs",
          apiVersion: "batch/v1beta1",
          replacement: "batch/v1 CronJob",
          objects: 1,
          managers: [{ manager: "old-tool", objects: 1 }],
          examples: ["default/job"],
        },
      ],
    });
    const metrics = await admin.get("/metrics");
    expect(metrics.text).toContain(
      'apiserver_requested_deprecated_apis{group="batch",version="v1beta1",resource="cronjobs",subresource="",removed_release="1.25"} 1',
    );
  });

  test("is for those who are allowed to ask", async () => {
    const ann = new ApiClient(server, server.issueClient({ name: "ann" }));
    expect((await ann.get("/debug/deprecations")).code).toBe(403);
    ann.close();
  });
});
