// Resource quotas are exact: twenty writers on three replicas, a controller manager that recalculates usage, a replica
// that is killed.
import { beforeAll, expect, test } from "@jest/globals";
import { type ApiServer, startApiServer, startReplicas } from "./harness/api-server";
import { expectStatus, freshNamespace, inParallel } from "./harness/config-maps";
import { ControllerManagers, leads } from "./harness/controller-manager";
import { startEtcd } from "./harness/etcd";
import { eventually } from "./harness/eventually";
import { type Program, useWorkplace } from "./harness/processes";

const WRITERS = 20;

const workplace = useWorkplace();
let replicas: readonly ApiServer[];
let managers: ControllerManagers;
let manager: Program;

const admin = (index: number) => (replicas[index % replicas.length] as ApiServer).admin;

beforeAll(async () => {
  const { endpoints } = await startEtcd(workplace);
  const flags = ["--service-cluster-ip-range=10.20.0.0/19", "--service-node-port-range=30000-30999"];
  const two = await startReplicas(workplace, endpoints, flags);
  const { authority } = two[0];
  const store = { kind: "etcd", endpoints } as const;
  replicas = [...two, await startApiServer(workplace, { name: "apiserver-3", authority, store, flags })];
  managers = new ControllerManagers(workplace, two[0]);
  manager = managers.start("manager");
  await eventually("it leads", async () => leads(manager));
}, 120_000);

const quotaPath = (namespace: string) => `/api/v1/namespaces/${namespace}/resourcequotas/q`;

async function used(namespace: string, name: string): Promise<string | undefined> {
  const { status } = (await expectStatus(200, admin(0).get(quotaPath(namespace)))) as unknown as {
    status?: { used?: Record<string, string> };
  };
  return status?.used?.[name];
}

/** Creates a namespace with a quota and waits until it is in force. */
async function limited(namespace: string, hard: Readonly<Record<string, string>>): Promise<void> {
  await freshNamespace(admin(0), namespace);
  const quota = { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "q" }, spec: { hard } };
  await expectStatus(201, admin(0).post(`/api/v1/namespaces/${namespace}/resourcequotas`, quota));
  const [name] = Object.keys(hard) as [string];
  await eventually("the quota is in force", async () => (await used(namespace, name)) === "0");
}

interface Attempts {
  readonly path: string;
  readonly count: number;
  readonly body: (index: number) => object;
}

/** @returns the created ones. All others must have been refused by the quota or lost with a replica */
async function createAll({ path, count, body }: Attempts): Promise<readonly number[]> {
  const made: number[] = [];
  await inParallel(count, WRITERS, async (index) => {
    const answer = await admin(index)
      .post(path, body(index))
      .catch(() => undefined);
    if (answer?.status === 201) made.push(index);
    else if (answer?.status === 403)
      expect(answer.object()).toMatchObject({ message: expect.stringContaining("exceeded quota: q, requested: ") });
    else if (answer !== undefined) expect([500, 503, 504]).toContain(answer.status);
  });
  return made;
}

async function stored(path: string): Promise<readonly { readonly metadata: { readonly name: string } }[]> {
  const { items } = (await expectStatus(200, admin(0).get(path))) as unknown as {
    items: { metadata: { name: string } }[];
  };
  return items;
}

/** Deletes stored objects, two requests for each. */
async function removeSome(path: string, count: number): Promise<void> {
  const some = (await stored(path)).slice(0, count);
  await inParallel(some.length, WRITERS, async (index) => {
    const name = some[index]?.metadata.name;
    await expectStatus(200, admin(index).delete(`${path}/${name}?gracePeriodSeconds=0`));
  });
}

const usageBecomes = (namespace: string, name: string, amount: number) =>
  eventually(`${name} is ${amount}`, async () => (await used(namespace, name)) === String(amount), {
    timeoutMs: 20_000,
  });

const POD = { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "10m" } } }] };

test("exactly as many pods as a quota allows are created, whoever asks where, and again after deletions", async () => {
  await limited("pods", { pods: "500", "requests.cpu": "6" });
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } };
  await admin(0).post("/api/v1/namespaces/pods/serviceaccounts", account);
  const path = "/api/v1/namespaces/pods/pods";
  const pods = (prefix: string, count: number): Attempts => ({
    path,
    count,
    body: (index) => ({ apiVersion: "v1", kind: "Pod", metadata: { name: `${prefix}-${index}` }, spec: POD }),
  });
  expect(await createAll(pods("first", 550))).toHaveLength(500);
  expect(await stored(path)).toHaveLength(500);
  expect([await used("pods", "pods"), await used("pods", "requests.cpu")]).toEqual(["500", "5"]);
  // Writers continue during deletions: each freed unit is used by another create.
  await Promise.all([removeSome(path, 100), createAll(pods("second", 150))]);
  await usageBecomes("pods", "pods", (await stored(path)).length);
  await createAll(pods("third", 120));
  expect(await stored(path)).toHaveLength(500);
  await removeSome(path, 100);
  await usageBecomes("pods", "pods", 400);
  expect(await used("pods", "requests.cpu")).toBe("4");
}, 90_000);

test("pods that have ended are not counted any more", async () => {
  const path = "/api/v1/namespaces/pods/pods";
  const ended = (await stored(path)).slice(0, 10);
  await inParallel(ended.length, 5, async (index) => {
    const name = ended[index]?.metadata.name;
    const patch = {
      body: JSON.stringify({ status: { phase: index % 2 === 0 ? "Succeeded" : "Failed" } }),
      method: "PATCH",
    } as const;
    const headers = { "content-type": "application/merge-patch+json" };
    await expectStatus(200, admin(index).send(`${path}/${name}/status`, { ...patch, headers }));
  });
  await usageBecomes("pods", "pods", 390);
}, 30_000);

test("the ports that services open on nodes are counted one by one", async () => {
  await limited("ports", { "services.nodeports": "100", services: "60" });
  const path = "/api/v1/namespaces/ports/services";
  const ports = [
    { name: "a", port: 80 },
    { name: "b", port: 81 },
  ];
  const made = await createAll({
    path,
    count: 70,
    body: (index) => ({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: `s-${index}` },
      spec: { type: "NodePort", ports },
    }),
  });
  expect(made).toHaveLength(50);
  expect([await used("ports", "services.nodeports"), await used("ports", "services")]).toEqual(["100", "50"]);
  await removeSome(path, 20);
  await usageBecomes("ports", "services.nodeports", 60);
  // A service without node ports has room; an update that opens some is charged.
  const plain = { apiVersion: "v1", kind: "Service", metadata: { name: "plain" }, spec: { ports } };
  await expectStatus(201, admin(1).post(path, plain));
  const headers = { "content-type": "application/merge-patch+json" };
  const open = { method: "PATCH", body: JSON.stringify({ spec: { type: "NodePort" } }), headers } as const;
  await expectStatus(200, admin(2).send(`${path}/plain`, open));
  expect(await used("ports", "services.nodeports")).toBe("62");
}, 60_000);

test("custom objects are counted as any other, and exactly though a replica is killed while they are created", async () => {
  const schema = { openAPIV3Schema: { type: "object", "x-orch-preserve-unknown-fields": true } };
  const names = { plural: "widgets", kind: "Widget" };
  const spec = {
    group: "example.com",
    scope: "Namespaced",
    names,
    versions: [{ name: "v1", served: true, storage: true, schema }],
  };
  const definition = {
    apiVersion: "apiextensions.orch.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com" },
    spec,
  };
  const quota = limited("widgets", { "count/widgets.example.com": "500" });
  await eventually("the quota is there", async () => (await admin(1).get(quotaPath("widgets"))).status === 200);
  await expectStatus(201, admin(0).post("/apis/apiextensions.orch.io/v1/customresourcedefinitions", definition));
  await quota;
  const path = "/apis/example.com/v1/namespaces/widgets/widgets";
  for (const { admin } of replicas)
    await eventually("it is served", async () => (await admin.get(path)).status === 200);
  const widgets = (prefix: string, count: number): Attempts => ({
    path,
    count,
    body: (index) => ({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name: `${prefix}-${index}` } }),
  });
  const filling = createAll(widgets("first", 520));
  await eventually("some are stored", async () => (await stored(path)).length > 150);
  await (replicas[2] as ApiServer).kill();
  await filling;
  replicas = replicas.slice(0, 2);
  const left = (await stored(path)).length;
  expect(await used("widgets", "count/widgets.example.com")).toBe(String(left));
  await createAll(widgets("second", 420));
  expect(await stored(path)).toHaveLength(500);
  expect(await used("widgets", "count/widgets.example.com")).toBe("500");
  await removeSome(path, 100);
  await usageBecomes("widgets", "count/widgets.example.com", 400);
}, 90_000);

test("the controller corrects the usage after a restart and at each resync", async () => {
  await manager.stop();
  const path = "/api/v1/namespaces/ports/services";
  await removeSome(path, 5);
  const claim = async (amount: string) => {
    const patch = { status: { used: { "services.nodeports": amount } } };
    const headers = { "content-type": "application/merge-patch+json" };
    const sent = { method: "PATCH", body: JSON.stringify(patch), headers } as const;
    await expectStatus(200, admin(0).send(`${quotaPath("ports")}/status`, sent));
  };
  await claim("99");
  const left = (await stored(path)) as unknown as readonly { spec: { type: string; ports: readonly unknown[] } }[];
  const open = left.filter(({ spec }) => spec.type === "NodePort").flatMap(({ spec }) => spec.ports).length;
  const next = managers.start("next-manager", ["--resource-quota-sync-period=3s"]);
  await eventually("it leads", async () => leads(next), { timeoutMs: 30_000 });
  await usageBecomes("ports", "services.nodeports", open);
  await claim("1");
  await usageBecomes("ports", "services.nodeports", open);
}, 60_000);
