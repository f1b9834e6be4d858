// Custom resources on two replicas over etcd, with a controller manager: what is defined on one is served, collected and emptied everywhere,
// and goes though a replica is killed while it goes.
import { beforeAll, expect, test } from "@jest/globals";
import { type ApiServer, startReplicas } from "./harness/api-server";
import { ControllerManagers, leads } from "./harness/controller-manager";
import { startEtcd } from "./harness/etcd";
import { eventually } from "./harness/eventually";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
const DEFINITIONS = "/apis/apiextensions.orch.io/v1/customresourcedefinitions";
const DEFINITION = `${DEFINITIONS}/widgets.example.com`;
const WIDGETS = "/apis/example.com/v1/namespaces/default/widgets";
const MAPS = "/api/v1/namespaces/default/configmaps";
const OBJECTS = 1_500;

let replicas: [ApiServer, ApiServer];

beforeAll(async () => {
  const etcd = await startEtcd(workplace);
  replicas = await startReplicas(workplace, etcd.endpoints);
  const manager = new ControllerManagers(workplace, replicas[1]).start("manager");
  await eventually("it leads", async () => leads(manager));
}, 60_000);

function definition(served: readonly string[]) {
  const openAPIV3Schema = { type: "object", "x-orch-preserve-unknown-fields": true };
  const versions = served.map((name, at) => ({ name, served: true, storage: at === 0, schema: { openAPIV3Schema } }));
  return {
    apiVersion: "apiextensions.orch.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com" },
    spec: { group: "example.com", scope: "Namespaced", names: { plural: "widgets", kind: "Widget" }, versions },
  };
}

const widget = (name: string) => ({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name } });

const statusAt = async (server: ApiServer, path: string): Promise<number> => (await server.admin.get(path)).status;

const reaches = (server: ApiServer, path: string, status: number) =>
  eventually(`${server.url} answers ${path} with ${status}`, async () => (await statusAt(server, path)) === status, {
    timeoutMs: 60_000,
  });

async function created(server: ApiServer, path: string, object: object) {
  const answer = await server.admin.post(path, object);
  expect(answer.status).toBe(201);
  return answer.object();
}

async function fill(server: ApiServer, path: string): Promise<void> {
  const names = Array.from({ length: OBJECTS }, (_, at) => `widget-${at}`).values();
  const writer = async () => {
    for (const name of names) await created(server, path, widget(name));
  };
  await Promise.all(Array.from({ length: 16 }, writer));
}

test("a kind that appears while everybody runs is served by all, and its objects are collected and emptied like any others", async () => {
  const [one, two] = replicas;
  await created(one, DEFINITIONS, definition(["v1"]));
  for (const server of replicas) await reaches(server, WIDGETS, 200);
  const owner = await created(two, WIDGETS, widget("owner"));
  const { apiVersion, kind } = widget("owner");
  const { name, uid } = owner.metadata;
  const metadata = { name: "dependent", ownerReferences: [{ apiVersion, kind, name, uid }] };
  await created(one, MAPS, { apiVersion: "v1", kind: "ConfigMap", metadata });
  await one.admin.delete(`${WIDGETS}/owner`);
  await reaches(two, `${MAPS}/dependent`, 404);

  await created(one, "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
  const inShop = WIDGETS.replace("/default/", "/shop/");
  await created(two, inShop, widget("a"));
  await one.admin.delete("/api/v1/namespaces/shop");
  await reaches(two, "/api/v1/namespaces/shop", 404);
  expect((await two.admin.get(inShop)).object().items).toEqual([]);
}, 120_000);

test("a definition goes with its objects though a replica is killed in the middle, and may come again with other versions", async () => {
  const [one, two] = replicas;
  await fill(two, WIDGETS);
  await one.admin.delete(DEFINITION);
  await eventually("some are deleted", async () => {
    const { items = [] } = (await two.admin.get(WIDGETS)).object();
    return items.length < OBJECTS;
  });
  await one.kill();
  await reaches(two, DEFINITION, 404);
  expect(await statusAt(two, WIDGETS)).toBe(404);
  await created(two, DEFINITIONS, definition(["v2"]));
  const again = WIDGETS.replace("/v1/", "/v2/");
  await reaches(two, again, 200);
  expect((await two.admin.get(again)).object().items).toEqual([]);
  await one.start();
  expect(await statusAt(one, again)).toBe(200);
  expect(await statusAt(one, WIDGETS)).toBe(404);
}, 120_000);
