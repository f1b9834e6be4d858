// Custom resources on two replicas on etcd, with a controller manager: a definition on one replica is served,
// garbage-collected and finalized everywhere, also when a replica is killed during its removal.
import { beforeAll, expect, test } from "@jest/globals";
import { type ApiServer, startReplicas } from "./harness/api-server";
import { inParallel } from "./harness/config-maps";
import { ControllerManagers, leads } from "./harness/controller-manager";
import { startEtcd } from "./harness/etcd";
import { eventually } from "./harness/eventually";
import { useWorkplace } from "./harness/processes";
import type { WatchEvent } from "./harness/watch-reader";

const workplace = useWorkplace();
const DEFINITIONS = "/apis/apiextensions.orch.io/v1/customresourcedefinitions";
const DEFINITION = `${DEFINITIONS}/widgets.example.com`;
const WIDGETS = "/apis/example.com/v1/namespaces/default/widgets";
const MAPS = "/api/v1/namespaces/default/configmaps";
const OBJECTS = 1_500;
/**
 * Set `MANY_OBJECTS=10000` for more. Every object is delivered to every watch in this process, which delays its other
 * requests.
 */
const MANY_OBJECTS = Number(process.env["MANY_OBJECTS"] ?? 1000);
const WATCHES = 100;

let replicas: [ApiServer, ApiServer];

beforeAll(async () => {
  const etcd = await startEtcd(workplace);
  replicas = await startReplicas(workplace, etcd.endpoints);
  const manager = new ControllerManagers(workplace, replicas[1]).start("manager");
  await eventually("it leads", async () => leads(manager));
}, 60_000);

const ANYTHING = { type: "object", "x-orch-preserve-unknown-fields": true };

function definition(served: readonly string[], openAPIV3Schema: object = ANYTHING) {
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

const fill = (server: ApiServer, path: string, objects: number): Promise<void> =>
  inParallel(objects, 16, async (at) => {
    await created(server, path, widget(`widget-${at}`));
  });

test("a new kind is served by all replicas, and its objects are garbage-collected and deleted with their namespace", async () => {
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
  await fill(two, WIDGETS, OBJECTS);
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

test("a deleted definition removes its objects and watches, affects no others, and can be recreated at once", async () => {
  const [one, two] = replicas;
  const old = (await one.admin.get(DEFINITION)).status === 200;
  if (old) await one.admin.delete(DEFINITION);
  for (const server of replicas) await reaches(server, DEFINITION, 404);
  await created(one, DEFINITIONS, definition(["v1"]));
  for (const server of replicas) await reaches(server, WIDGETS, 200);
  await fill(two, WIDGETS, MANY_OBJECTS);
  const { resourceVersion } = (await one.admin.get(`${WIDGETS}?limit=1`)).object().metadata;
  const watches = await Promise.all(
    Array.from({ length: WATCHES }, (_, at) =>
      (at % 2 === 0 ? one : two).admin.watch(`${WIDGETS}?resourceVersion=${resourceVersion}`),
    ),
  );
  const gone = watches.map(async (watch) => {
    let deleted = 0;
    const others: WatchEvent[] = [];
    for (let event = await watch.next(120_000); event !== undefined; event = await watch.next(120_000)) {
      if (event.type === "DELETED") deleted += 1;
      else others.push(event);
    }
    return { deleted, others };
  });
  const others = otherRequests();
  expect((await one.admin.delete(DEFINITION)).status).toBe(200);
  for (const server of replicas) await reaches(server, DEFINITION, 404);
  // Right away, and through the replica that did not receive the deletion.
  const typed = {
    type: "object",
    properties: { spec: { type: "object", properties: { size: { type: "integer" } } } },
  };
  await created(two, DEFINITIONS, definition(["v1"], typed));
  for (const server of replicas) await reaches(server, WIDGETS, 200);
  for (const server of replicas) expect((await server.admin.get(WIDGETS)).object().items).toEqual([]);
  const spec = { size: 1, unknown: 2 };
  expect(await created(one, WIDGETS, { ...widget("anew"), spec })).toMatchObject({ spec: { size: 1 } });
  const wrong = await two.admin.post(WIDGETS, { ...widget("wrong"), spec: { size: "large" } });
  expect(wrong.status).toBe(422);
  // Each watch has delivered all deletions and then the reason of its end.
  for (const { deleted, others } of await Promise.all(gone)) {
    expect(deleted).toBe(MANY_OBJECTS);
    expect(others).toMatchObject([{ type: "ERROR", object: { kind: "Status", code: 404, reason: "NotFound" } }]);
  }
  const statuses = await others.stop();
  expect(statuses.size).toBeGreaterThan(0);
  expect([...statuses].filter((status) => status >= 500)).toEqual([]);
}, 240_000);

/** Other requests to both replicas meanwhile. */
function otherRequests(): { stop(): Promise<ReadonlySet<number>> } {
  const statuses = new Set<number>();
  let stopped = false;
  const client = async (server: ApiServer, name: string) => {
    for (let at = 0; !stopped; at++) {
      const path = `${MAPS}/${name}`;
      statuses.add((await server.admin.post(MAPS, { metadata: { name } })).status);
      statuses.add((await server.admin.get(path)).status);
      statuses.add((await server.admin.get(`${MAPS}?limit=5`)).status);
      statuses.add((await server.admin.get(at % 2 === 0 ? "/apis" : "/api/v1")).status);
      statuses.add((await server.admin.delete(path)).status);
    }
  };
  const running = Promise.all(replicas.map((server, at) => client(server, `other-${at}`)));
  return {
    async stop() {
      stopped = true;
      await running;
      return statuses;
    },
  };
}
