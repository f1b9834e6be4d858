// Workloads with kubectl (Debian's 1.20), with published manifests. No controllers run: the tests write what
// controllers would, so that each step is visible.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { parseAllDocuments } from "yaml";
import type { ApiObject } from "./harness/api-object";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { expectStatus } from "./harness/config-maps";
import { type Kubectl, type Printed, startWithKubectl } from "./harness/kubectl";
import { npmPackage } from "./harness/npm-package";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
let server: ApiServer;
let client: Kubectl;
let count = 0;
/** Each test has its own namespace. */
let namespace: string;

const inNamespace = (args: readonly string[]): readonly string[] => [`--namespace=${namespace}`, ...args];
const run = (...args: readonly string[]): Promise<Printed> => client.run(inNamespace(args));
const kubectl = (...args: readonly string[]): Promise<string> => client.print(inNamespace(args));

function written(...objects: readonly object[]): string {
  const file = join(client.folder, `objects-${count++}.json`);
  writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
  return file;
}

beforeAll(async () => {
  ({ server, client } = await startWithKubectl(workplace));
}, 60_000);

beforeEach(async () => {
  namespace = `workloads-${count++}`;
  await kubectl("create", "namespace", namespace);
}, 60_000);

describe("manifests of other people", () => {
  /** Custom kinds of the manifests that this server does not define. */
  const FOREIGN = new Set(["SealedSecret", "Cluster"]);

  /** The manifest as its build would produce it, without undefined kinds, in the test's namespace. */
  function manifest(specifier: string, path: string): string {
    const text = readFileSync(join(npmPackage(specifier), path), "utf8")
      .replace(/\{\{\{NODE_\w+\}\}\}/g, "1000")
      .replace(/\{\{\{\w+\}\}\}/g, "1.0");
    const objects = parseAllDocuments(text).map((document) => document.toJS() as ApiObject & { items?: ApiObject[] });
    const all = objects.flatMap((object) => object?.items ?? object ?? []);
    for (const { metadata } of all) if (metadata.namespace !== undefined) Object.assign(metadata, { namespace });
    return written(...all.filter(({ kind = "" }) => !FOREIGN.has(kind)));
  }

  test.each([
    ["@socialgouv/parse-manifests@1.16.4", "sample.yml", ["persistentvolume/app-uploads"]],
    ["@socialgouv/parse-manifests@1.16.4", "sample2.yml", ["persistentvolume/app-uploads"]],
    [
      "@razee/mustachetemplate@4.0.3",
      "kubernetes/MustacheTemplate/resource.yaml",
      ["deployment.apps/mustachetemplate-controller"],
    ],
    ["@kui-shell/plugin-kubectl@13.1.1", "tests/data/k8s/headless/pod.yaml", []],
  ])(
    "%s %s: applied twice, the second time changes nothing",
    async (specifier, path, alwaysSent) => {
      const file = manifest(specifier, path);
      const versions = async () => {
        const found = await kubectl("get", "-f", file, "-o", "jsonpath={.items[*].metadata.resourceVersion}");
        return found;
      };
      expect(await kubectl("apply", "-f", file)).not.toBe("");
      const before = await versions();
      const second = (await kubectl("apply", "-f", file)).trimEnd().split("\n");
      // This client sends a patch for some manifests each time, which changes nothing.
      const quiet = second.filter((line) => !alwaysSent.some((name) => line === `${name} configured`));
      expect(quiet.filter((line) => !line.endsWith(" unchanged") && !line.endsWith("configured"))).toEqual([]);
      expect(await versions()).toBe(before);

      await kubectl("apply", "--server-side", "--force-conflicts", "-f", file);
      const applied = await versions();
      await kubectl("apply", "--server-side", "--force-conflicts", "-f", file);
      expect(await versions()).toBe(applied);
      await kubectl("delete", "-f", file, "--wait=false");
    },
    60_000,
  );
});

describe("a rollout", () => {
  const deployments = () => `/apis/apps/v1/namespaces/${namespace}/deployments`;
  const replicaSets = () => `/apis/apps/v1/namespaces/${namespace}/replicasets`;

  interface Web extends ApiObject {
    readonly metadata: ApiObject["metadata"] & { readonly generation: number };
    readonly spec: { readonly replicas: number; readonly template: { readonly metadata: { labels: object } } };
  }
  const web = () => expectStatus(200, server.admin.get(`${deployments()}/web`)) as Promise<Web>;

  /** The ReplicaSet that the Deployment wants now, as its controller makes it. */
  async function makeReplicaSet(revision: number): Promise<void> {
    const { metadata, spec } = await web();
    const labels = { ...spec.template.metadata.labels, "pod-template-hash": `${revision}` };
    const body = {
      metadata: {
        name: `web-${revision}`,
        labels,
        annotations: { "deployment.kubernetes.io/revision": `${revision}` },
        ownerReferences: [
          { apiVersion: "apps/v1", kind: "Deployment", name: "web", uid: metadata.uid, controller: true },
        ],
      },
      spec: {
        replicas: spec.replicas,
        selector: { matchLabels: labels },
        template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
      },
    };
    await expectStatus(201, server.admin.post(replicaSets(), body));
    await kubectl("annotate", "--overwrite", "deployment/web", `deployment.kubernetes.io/revision=${revision}`);
  }

  async function report(status: object): Promise<void> {
    const current = await web();
    const body = { ...current, status: { observedGeneration: current.metadata.generation, ...status } };
    await expectStatus(200, server.admin.put(`${deployments()}/web/status`, body));
  }

  const AVAILABLE = [{ type: "Available", status: "True", reason: "MinimumReplicasAvailable", message: "" }];

  test("is followed, told, paused, restarted and taken back", async () => {
    await kubectl("create", "deployment", "web", "--image=nginx:1", "--replicas=2");
    await makeReplicaSet(1);
    const early = await run("rollout", "status", "deployment/web", "--timeout=1s");
    expect(early).toMatchObject({ code: 1, stdout: "Waiting for deployment spec update to be observed...\n" });
    await report({ replicas: 2, updatedReplicas: 2, readyReplicas: 1, availableReplicas: 1 });
    const { stdout } = await run("rollout", "status", "deployment/web", "--timeout=1s");
    expect(stdout).toBe('Waiting for deployment "web" rollout to finish: 1 of 2 updated replicas are available...\n');
    await report({ replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2, conditions: AVAILABLE });
    expect(await kubectl("rollout", "status", "deployment/web")).toBe('deployment "web" successfully rolled out\n');
    expect(await kubectl("wait", "--for=condition=Available", "deployment/web")).toBe(
      "deployment.apps/web condition met\n",
    );
    expect(await kubectl("get", "deployment", "web")).toMatch(/web +2\/2 +2 +2 /);

    expect(await kubectl("set", "image", "deployment/web", "nginx=nginx:2")).toBe(
      "deployment.apps/web image updated\n",
    );
    await makeReplicaSet(2);
    expect((await kubectl("rollout", "history", "deployment/web")).split("\n")).toEqual(
      expect.arrayContaining([expect.stringMatching(/^1 /), expect.stringMatching(/^2 /)]),
    );
    expect(await kubectl("rollout", "history", "deployment/web", "--revision=1")).toContain("nginx:1");
    expect(await kubectl("rollout", "undo", "deployment/web")).toBe("deployment.apps/web rolled back\n");
    expect(JSON.stringify((await web()).spec)).toContain('"image":"nginx:1"');

    expect(await kubectl("rollout", "pause", "deployment/web")).toBe("deployment.apps/web paused\n");
    expect((await run("rollout", "undo", "deployment/web")).stderr).toContain("paused");
    expect(await kubectl("rollout", "resume", "deployment/web")).toBe("deployment.apps/web resumed\n");
    expect(await kubectl("rollout", "restart", "deployment/web")).toBe("deployment.apps/web restarted\n");
    expect(await kubectl("delete", "deployment", "web")).toBe('deployment.apps "web" deleted\n');
  }, 60_000);
});

/** A command and its output, complete or in part. */
type Step = readonly [typed: string, printed: string | RegExp, code?: number];

async function walk(steps: readonly Step[]): Promise<void> {
  for (const [typed, printed, expected = 0] of steps) {
    const { stdout, stderr, code } = await run(...typed.split(" "));
    const seen = { typed, code, printed: `${stdout}${stderr}`.trim() };
    const wanted = typeof printed === "string" ? printed : expect.stringMatching(printed);
    expect(seen).toEqual({ typed, code: expected, printed: wanted });
  }
}

test("a workload is scaled, exposed, set and marked", async () => {
  await walk([
    ["create deployment web --image=nginx", "deployment.apps/web created"],
    ["scale deployment web --replicas=3", "deployment.apps/web scaled"],
    ["scale deployment web --replicas=4 --current-replicas=2", "error: Expected replicas to be 2, was 3", 1],
    ["expose deployment web --port=80 --target-port=8080", "service/web exposed"],
    ["get service web", /web +ClusterIP +10\.\S+ +<none> +80\/TCP/],
    ["autoscale deployment web --min=1 --max=5 --cpu-percent=50", "horizontalpodautoscaler.autoscaling/web autoscaled"],
    ["get hpa web", /Deployment\/web +<unknown>\/50% +1 +5 /],
    ["set env deployment/web A=b", "deployment.apps/web env updated"],
    ["set env deployment/web --list", /^A=b$/m],
    ["set resources deployment/web --limits=cpu=200m,memory=1Gi", "deployment.apps/web resource requirements updated"],
    ["set selector service web app=other", "service/web selector updated"],
    ["set serviceaccount deployment/web builder", "deployment.apps/web serviceaccount updated"],
    ["label deployment web tier=front", "deployment.apps/web labeled"],
    ["label deployment web tier=back", "error: 'tier' already has a value (front), and --overwrite is false", 1],
    ["annotate deployment web note=hi", "deployment.apps/web annotated"],
    ["get deployment web -o jsonpath={.metadata.generation}", "6"],
    ["top pods", "error: Metrics API not available", 1],
  ]);
}, 60_000);

test("everything that the client can make is taken", async () => {
  const scope = namespace;
  await walk([
    ["run one --image=nginx --port=80 --labels=a=b", "pod/one created"],
    ["create job once --image=busybox -- date", "job.batch/once created"],
    ["create configmap settings --from-literal=a=b", "configmap/settings created"],
    ["create secret generic hidden --from-literal=a=b", "secret/hidden created"],
    ["create secret docker-registry pull --docker-username=u --docker-password=p", "secret/pull created"],
    ["create role reader --verb=get,list --resource=pods", "role.rbac.authorization.k8s.io/reader created"],
    ["create rolebinding readers --role=reader --user=bob", "rolebinding.rbac.authorization.k8s.io/readers created"],
    [`create clusterrole ${scope} --verb=get --resource=nodes`, /created$/],
    [`create clusterrolebinding ${scope} --clusterrole=${scope} --user=bob`, /created$/],
    ["create quota small --hard=pods=3,cpu=1", "resourcequota/small created"],
    ["create pdb calm --selector=app=web --min-available=1", /poddisruptionbudget.policy\/calm created/],
    ["create cronjob often --image=busybox --schedule=@hourly -- date", /cronjob.batch\/often created/],
    ["create ingress door --rule=example.com/bar=web:80", "ingress.networking.k8s.io/door created"],
    [`create priorityclass ${scope} --value=1000`, /created$/],
    ["create service clusterip inner --tcp=80", "service/inner created"],
    ["create service nodeport open --tcp=80", "service/open created"],
    ["create service loadbalancer wide --tcp=80", "service/wide created"],
    ["create service externalname away --external-name=example.com", "service/away created"],
    ["create serviceaccount robot", "serviceaccount/robot created"],
    ["auth can-i delete pods", "yes"],
    ["auth can-i --list", /\*\.\* +\[\] +\[\] +\[\*\]/],
    ["get all", /cronjob.batch\/often/],
  ]);
}, 60_000);

test("a node is closed, emptied in rehearsal, marked and opened", async () => {
  const container = { name: "main", image: "nginx" };
  const pod = (name: string) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace },
    spec: { nodeName: "worker", containers: [container] },
  });
  const node = { apiVersion: "v1", kind: "Node", metadata: { name: "worker" } };
  await kubectl("create", "-f", written(node, pod("a"), pod("b")));
  await walk([
    ["cordon worker", "node/worker cordoned"],
    ["cordon worker", "node/worker already cordoned"],
    ["get node worker", /worker +Unknown,SchedulingDisabled/],
    ["drain worker --dry-run=client", /declare no controller|not managed by/, 1],
    [
      "drain worker --dry-run=client --force",
      new RegExp(`evicting pod ${namespace}/a \\(dry run\\)[^]*node/worker drained \\(dry run\\)`),
    ],
    ["get pods -o name", "pod/a\npod/b"],
    ["uncordon worker", "node/worker uncordoned"],
    ["taint nodes worker a=b:NoSchedule", "node/worker tainted"],
    ["taint nodes worker a=b:NoSchedule", /already has a taint/, 1],
    ["taint nodes worker a-", "node/worker untainted"],
  ]);
}, 60_000);

test("a node is emptied as far as the budget of its pods allows", async () => {
  const container = { name: "main", image: "nginx" };
  const pod = (name: string) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, labels: { app: "web" } },
    spec: { nodeName: "emptied", containers: [container] },
  });
  const node = { apiVersion: "v1", kind: "Node", metadata: { name: "emptied" } };
  await kubectl("create", "-f", written(node, pod("a"), pod("b")));
  await kubectl("create", "pdb", "calm", "--selector=app=web", "--min-available=1");
  const merge = async (path: string, status: object) => {
    const { body } = await server.admin.get(path);
    await expectStatus(200, server.admin.put(`${path}/status`, { ...JSON.parse(body), status }));
  };
  for (const name of ["a", "b"]) {
    const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
    await merge(`/api/v1/namespaces/${namespace}/pods/${name}`, status);
  }
  const counts = { currentHealthy: 2, desiredHealthy: 1, disruptionsAllowed: 1, expectedPods: 2 };
  await merge(`/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets/calm`, {
    observedGeneration: 1,
    ...counts,
  });
  const drained = await run("drain", "emptied", "--force", "--grace-period=0", "--timeout=2s");
  expect([drained.code, drained.stderr]).toEqual([1, expect.stringContaining("violate the pod's disruption budget")]);
  expect((await kubectl("get", "pods", "-o", "name")).trim().split("\n")).toHaveLength(1);
  expect(await kubectl("get", "pdb", "calm", "-o", "jsonpath={.status.disruptionsAllowed}")).toBe("0");
  const emptied = await kubectl("drain", "emptied", "--force", "--grace-period=0", "--disable-eviction");
  expect(emptied).toContain("node/emptied");
  expect(await kubectl("get", "pods", "-o", "name")).toBe("");
}, 60_000);

test("an older release takes an older manifest, warns of it, and tells who sent it", async () => {
  const old = await startApiServer(workplace, {
    name: "older",
    authority: server.authority,
    store: { kind: "memory" },
    flags: [
      "--vocabulary=kubernetes",
      "--emulated-release=1.21",
      "--runtime-config=batch/v1beta1=false",
      "--feature-gates=EphemeralContainers=true",
    ],
  });
  // The last of two --server options applies.
  const older = (...args: readonly string[]) => run(`--server=${old.url}`, "--namespace=default", ...args);
  const backend = { serviceName: "web", servicePort: 80 };
  const door = { apiVersion: "extensions/v1beta1", kind: "Ingress", metadata: { name: "door" }, spec: { backend } };
  const file = written(door);
  const warning =
    "Warning: extensions/v1beta1 Ingress is deprecated in v1.14+, unavailable in v1.22+; use networking.k8s.io/v1 Ingress\n";
  expect(await older("apply", "-f", file)).toEqual({
    stdout: "ingress.extensions/door created\n",
    stderr: warning,
    code: 0,
  });
  expect(await older("apply", "-f", file)).toMatchObject({ stdout: "ingress.extensions/door unchanged\n", code: 0 });
  const read = async (resource: string) => JSON.parse((await older("get", resource, "door", "-o", "json")).stdout);
  expect(await read("ingresses.v1beta1.extensions")).toMatchObject({
    apiVersion: "extensions/v1beta1",
    spec: { backend },
  });
  expect(await read("ingresses.v1.networking.k8s.io")).toMatchObject({
    apiVersion: "networking.k8s.io/v1",
    spec: { defaultBackend: { service: { name: "web", port: { number: 80 } } } },
  });
  // A client of that release sends ephemeral containers as a kind of their own.
  await older("run", "web", "--image=nginx");
  expect(await older("debug", "web", "--image=busybox", "--container=look", "--attach=false")).toMatchObject({
    code: 0,
  });
  expect(await older("get", "pod", "web", "-o", "jsonpath={.spec.ephemeralContainers[*].name}")).toMatchObject({
    stdout: "look",
  });
  // Disabled, as it will be by default in the next release.
  expect((await older("create", "cronjob", "often", "--image=busybox", "--schedule=@hourly")).code).toBe(1);
  const { requests } = JSON.parse((await older("get", "--raw", "/debug/deprecations")).stdout);
  expect(requests).toMatchObject([
    {
      group: "extensions",
      resource: "ingresses",
      removedRelease: "1.22",
      clients: [{ userAgent: expect.stringMatching(/^kubectl/) }],
    },
  ]);
}, 60_000);
