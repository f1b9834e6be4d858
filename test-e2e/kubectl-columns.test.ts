// Output of kubectl (Debian's 1.20): the columns of every kind and the other output formats.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import type { ApiServer } from "./harness/api-server";
import { eventually } from "./harness/eventually";
import { type Kubectl, MORE_CLIENTS, startWithKubectl } from "./harness/kubectl";
import { printedTables } from "./harness/printed-table";
import { useWorkplace } from "./harness/processes";

const MANIFESTS = join(__dirname, "manifests");

const workplace = useWorkplace();
let server: ApiServer;
let client: Kubectl;

/** Returns standard output of Debian's client. @throws Error with standard error when it fails */
const kubectl = (...args: readonly string[]): Promise<string> => client.print(args);

const ago = (seconds: number) => `${new Date(Date.now() - seconds * 1000).toISOString().slice(0, 19)}Z`;

/** Statuses that controllers and nodes would write for the objects of the manifests, by path. */
const statuses = (): Readonly<Record<string, object>> => ({
  "/api/v1/namespaces/shop/pods/shell": {
    phase: "Running",
    podIP: "10.0.0.7",
    podIPs: [{ ip: "10.0.0.7" }],
    conditions: [{ type: "Ready", status: "True" }],
    containerStatuses: [
      {
        name: "shell",
        ready: true,
        restartCount: 2,
        image: "",
        imageID: "",
        state: { running: { startedAt: ago(60) } },
      },
    ],
  },
  "/apis/apps/v1/namespaces/shop/deployments/web": {
    replicas: 3,
    readyReplicas: 2,
    updatedReplicas: 3,
    availableReplicas: 1,
  },
  "/apis/apps/v1/namespaces/shop/replicasets/web-6f7d": { replicas: 3, readyReplicas: 2 },
  "/apis/apps/v1/namespaces/shop/statefulsets/database": { replicas: 2, readyReplicas: 1 },
  "/apis/apps/v1/namespaces/shop/daemonsets/log-shipper": {
    desiredNumberScheduled: 5,
    currentNumberScheduled: 4,
    numberReady: 3,
    numberMisscheduled: 0,
    updatedNumberScheduled: 2,
    numberAvailable: 1,
  },
  "/apis/batch/v1/namespaces/shop/jobs/import": { succeeded: 1, startTime: ago(3600), completionTime: ago(3600 - 95) },
  "/apis/batch/v1/namespaces/shop/cronjobs/nightly-report": { lastScheduleTime: ago(600) },
  "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/web": {
    currentReplicas: 3,
    desiredReplicas: 3,
    currentMetrics: [
      { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 40, averageValue: "40m" } } },
    ],
  },
  "/apis/networking.k8s.io/v1/namespaces/shop/ingresses/web": { loadBalancer: { ingress: [{ ip: "203.0.113.9" }] } },
  "/apis/policy/v1/namespaces/shop/poddisruptionbudgets/web": {
    disruptionsAllowed: 1,
    currentHealthy: 3,
    desiredHealthy: 2,
    expectedPods: 3,
  },
  "/api/v1/namespaces/shop/resourcequotas/budget": {
    hard: { pods: "20", "requests.cpu": "8", "limits.memory": "32Gi" },
    used: { pods: "3", "requests.cpu": "150m", "limits.memory": "1Gi" },
  },
  "/api/v1/nodes/node-1": {
    conditions: [{ type: "Ready", status: "True" }],
    addresses: [{ type: "InternalIP", address: "10.1.0.1" }],
    nodeInfo: {
      ...{
        machineID: "",
        systemUUID: "",
        bootID: "",
        kubeProxyVersion: "",
        operatingSystem: "linux",
        architecture: "arm64",
      },
      ...{
        kubeletVersion: "v1.23.4",
        osImage: "Debian 12",
        kernelVersion: "6.1.0",
        containerRuntimeVersion: "containerd://1.7",
      },
    },
  },
  "/apis/storage.k8s.io/v1/volumeattachments/disk-1-on-node-1": { attached: true },
});

/** A resource, its headings and the row of its object, ages as `*`; three lines each. */
const PRINTED = readFileSync(join(__dirname, "printed-columns.txt"), "utf8")
  .split(/\n(?=\S)/)
  .map((text) => text.replace(/\n$/, "").split("\n  ") as [resource: string, headings: string, row: string]);

const EVERY_KIND = PRINTED.map(([resource]) => resource).join(",");

const AGED = /^(AGE|FIRST SEEN|LAST SEEN)$/;

/** Rows of a table with cells between bars; varying values such as ages are replaced. */
function barred(text: string): readonly (readonly string[])[] {
  return printedTables(text).map(([headings = [], ...rows]) =>
    [headings, ...rows.map((row) => row.map((cell, place) => withoutChance(cell, headings[place] ?? "")))].map((row) =>
      row.join(" | "),
    ),
  );
}

const UID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

function withoutChance(cell: string, heading: string): string {
  if (AGED.test(heading)) return /^\d+[smhdy]/.test(cell) ? "*" : cell;
  if (heading === "SELECTOR") return cell.replace(UID, "<uid>");
  return heading === "CREATED AT" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(cell) ? "@" : cell;
}

beforeAll(async () => {
  ({ server, client } = await startWithKubectl(workplace, { options: ["--namespace=shop"] }));
  await kubectl("create", "-f", MANIFESTS);
  for (const [path, status] of Object.entries(statuses())) {
    const found = (await server.admin.get(path)).object();
    const { status: code, body } = await server.admin.put(`${path}/status`, { ...found, status });
    if (code !== 200) throw new Error(`${path}/status: ${body}`);
  }
  await eventually("the registered API was looked at", async () =>
    (await kubectl("get", "apiservices", "v1beta1.metrics.example.com")).includes("ServiceNotFound"),
  );
  await eventually("the flow schema was looked at", async () =>
    (await kubectl("get", "flowschemas", "reports")).includes("False"),
  );
}, 120_000);

describe("get -o wide", () => {
  let tables: ReturnType<typeof barred>;

  beforeAll(async () => {
    tables = barred(await kubectl("get", EVERY_KIND, "-o", "wide"));
  }, 60_000);

  test.each(PRINTED)("columns of %s", (_resource, headings, row) => {
    const table = tables.find((each) => each.includes(row) || each.some((line) => nameIn(line) === nameIn(row)));
    expect([table?.[0], table?.find((line) => nameIn(line) === nameIn(row))]).toEqual([headings, row]);
  });

  for (const program of MORE_CLIENTS) {
    test(`is the same in ${program}`, async () => {
      expect(barred(await client.of(program).print(["get", EVERY_KIND, "-o", "wide"]))).toEqual(tables);
    }, 60_000);
  }

  test("knows every kind that can be listed", async () => {
    // kubectl reports the APIService whose server is absent, and lists the others.
    const { stdout } = await client.run(["api-resources", "--verbs=list", "-o", "name"]);
    const names = stdout.trim().split("\n");
    const listed = new Set(names.filter((name) => !name.endsWith(".example.com")).map((name) => name.split(".")[0]));
    expect([...listed].sort()).toEqual(PRINTED.map(([resource]) => resource).sort());
  }, 30_000);
});

/** `kind/name`, the last one in a row; an event contains an involved object in that form too. */
const nameIn = (row: string): string | undefined =>
  row
    .split(" | ")
    .filter((cell) => /^[a-z.0-9]+\/[^ ]+$/.test(cell))
    .at(row.startsWith("*") ? -1 : 0);

test("without -o, the first columns are shown, in every way to ask for them", async () => {
  expect(barred(await kubectl("get", "pods"))).toEqual([
    ["NAME | READY | STATUS | RESTARTS | AGE", "shell | 1/1 | Running | 2 | *"],
  ]);
  expect(barred(await kubectl("get", "node", "node-1"))).toEqual([
    ["NAME | STATUS | ROLES | AGE | VERSION", "node-1 | Ready,SchedulingDisabled | worker | * | v1.23.4"],
  ]);
  expect(barred(await kubectl("get", "pods", "--all-namespaces"))).toEqual([
    ["NAMESPACE | NAME | READY | STATUS | RESTARTS | AGE", "shop | shell | 1/1 | Running | 2 | *"],
  ]);
  expect(await kubectl("get", "pods", "--no-headers")).toMatch(/^shell +1\/1 +Running +2 +\d+s\n$/);
}, 60_000);

test("get all shows what belongs to all, kind by kind", async () => {
  const rows = barred(await kubectl("get", "all")).flatMap(([, ...each]) => each.map((row) => row.split(" | ")[0]));
  expect(rows).toEqual([
    "pod/shell",
    "replicationcontroller/old-web",
    "service/web",
    "daemonset.apps/log-shipper",
    "deployment.apps/web",
    "replicaset.apps/web-6f7d",
    "statefulset.apps/database",
    "horizontalpodautoscaler.autoscaling/web",
    "cronjob.batch/nightly-report",
    "job.batch/import",
  ]);
}, 60_000);

test("labels and orders are the client's own, over the server's rows", async () => {
  expect(barred(await kubectl("get", "deployments", "--show-labels"))[0]?.[1]).toBe("web | 2/3 | 3 | 1 | * | app=web");
  expect(barred(await kubectl("get", "deployments", "-L", "app,tier"))).toEqual([
    ["NAME | READY | UP-TO-DATE | AVAILABLE | AGE | APP | TIER", "web | 2/3 | 3 | 1 | * | web | "],
  ]);
  const classes = await kubectl("get", "priorityclasses", "--sort-by=.value");
  const values = barred(classes).flatMap(([, ...rows]) => rows.map((row) => Number(row.split(" | ")[1])));
  expect(values).toEqual([...values].sort((a, b) => a - b));
  expect(values).toContain(100_000);
}, 60_000);

test("objects are printed whole and in part", async () => {
  const { kind, metadata } = JSON.parse(await kubectl("get", "pod", "shell", "-o", "json"));
  expect([kind, metadata.name]).toEqual(["Pod", "shell"]);
  expect(await kubectl("get", "pod", "shell", "-o", "yaml")).toMatch(/^apiVersion: v1\nkind: Pod\nmetadata:\n/);
  expect(await kubectl("get", "pods", "-o", "name")).toBe("pod/shell\n");
  expect(await kubectl("get", "pods", "-o", "jsonpath={.items[*].status.podIP}")).toBe("10.0.0.7");
  const columns = "custom-columns=POD:.metadata.name,IMAGE:.spec.containers[*].image";
  expect(barred(await kubectl("get", "pods", "-o", columns))).toEqual([["POD | IMAGE", "shell | busybox:1.36"]]);
}, 60_000);

test("get -w shows a row for what is there, and one for each change", async () => {
  const watching = client.start(["get", "deployments", "-w"]);
  let shown = "";
  watching.stdout.on("data", (text) => (shown += text));
  // A row arrives in pieces.
  const rows = () => shown.split("\n").slice(0, -1);
  try {
    await eventually("what is there is shown", async () => rows().length === 2);
    await kubectl("scale", "deployment", "web", "--replicas=4");
    await eventually("the change is shown", async () => rows().length === 3);
    expect(rows()[0]).toMatch(/^NAME +READY +UP-TO-DATE +AVAILABLE +AGE$/);
    expect(rows()[1]).toMatch(/^web +2\/3 +3 +1 +\d+[sm]/);
    expect(rows()[2]).toMatch(/^web +2\/4 +3 +1 +\d+[sm]/);
  } finally {
    watching.kill();
    await kubectl("scale", "deployment", "web", "--replicas=3");
  }
}, 60_000);

describe("describe", () => {
  test.each<readonly [of: string, lines: readonly RegExp[]]>([
    [
      "pod/shell",
      [/^Name: +shell$/m, /^Status: +Running$/m, /^IP: +10\.0\.0\.7$/m, /^ +Restart Count: +2$/m, /^Events: +<none>$/m],
    ],
    [
      "deployment/web",
      [/^Replicas: +3 desired \| 3 updated/m, /^StrategyType: +RollingUpdate$/m, /^ +Image: +nginx:1\.27$/m],
    ],
    ["service/web", [/^Type: +ClusterIP$/m, /^Port: +http +80\/TCP$/m, /^Endpoints: +<none>$/m]],
    ["node/node-1", [/^Roles: +worker$/m, /^Unschedulable: +true$/m, /^ +Container Runtime Version: +containerd/m]],
    ["configmap/web-settings", [/^LOG_LEVEL:$/m, /^nginx.conf:$/m]],
    ["secret/database", [/^Type: +Opaque$/m, /^password: +28 bytes$/m]],
    ["pvc/uploads", [/^StorageClass: +fast$/m, /^Status: +Pending$/m, /^VolumeMode: +Filesystem$/m]],
    ["ingress/web", [/^Address: +203\.0\.113\.9$/m, /shop\.example\.com/, /web:http/]],
    ["hpa/web", [/^Reference: +Deployment\/web$/m, /40% .*\/ 70%/, /^Max replicas: +12$/m]],
    [
      "cronjob/nightly-report",
      [/^Schedule: +15 2 \* \* \*$/m, /^Concurrency Policy: +Forbid$/m, /^Last Schedule Time: /m],
    ],
    [
      "job/import",
      [/^Completions: +4$/m, /^Duration: +95s$/m, /^Pods Statuses: +0 Running \/ 1 Succeeded \/ 0 Failed$/m],
    ],
    ["namespace/shop", [/^Status: +Active$/m, /^ +Name: +budget$/m, /^ +pods +3 +20$/m, /^Resource Limits$/m]],
    ["quota/budget", [/^requests\.cpu +150m +8$/m]],
    ["limitrange/sizes", [/^Container +cpu +- +4 +100m +500m +-$/m]],
    ["rolebinding/web-reads-settings", [/^ +Kind: +Role$/m, /^ +ServiceAccount +web +shop$/m]],
    ["serviceaccount/web", [/^Name: +web$/m, /^Tokens: +<none>$/m]],
  ])(
    "%s",
    async (of, lines) => {
      const text = await kubectl("describe", of);
      for (const line of lines) expect(text).toMatch(line);
    },
    60_000,
  );
});
