// Dependents are deleted after their owners, by a separate controller manager process.
import { beforeAll, expect, test } from "@jest/globals";
import type { ApiObject } from "./harness/api-object";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { ControllerManagers, leads } from "./harness/controller-manager";
import { eventually, sleep } from "./harness/eventually";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
const MAPS = "/api/v1/namespaces/default/configmaps";
/** Time for a faulty collector to delete something. */
const HARM_MS = 1_000;
let server: ApiServer;

beforeAll(async () => {
  server = await startApiServer(workplace, { store: { kind: "memory" } });
  const manager = new ControllerManagers(workplace, server).start("manager");
  await eventually("it leads", async () => leads(manager));
}, 60_000);

interface Owner {
  readonly name: string;
  readonly uid: string | undefined;
  readonly kind?: string;
  readonly blockOwnerDeletion?: boolean;
}

const reference = ({ name, uid, kind = "ConfigMap", blockOwnerDeletion }: Owner) => ({
  apiVersion: "v1",
  kind,
  name,
  uid,
  ...(blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion }),
});

async function create(name: string, owners: readonly Owner[] = [], finalizers: readonly string[] = []) {
  const metadata = { name, ownerReferences: owners.map(reference), finalizers };
  const headers = { "content-type": "application/json" };
  const answer = await server.admin.send(MAPS, { method: "POST", body: JSON.stringify({ metadata }), headers });
  expect([name, answer.status]).toEqual([name, 201]);
  return { name, uid: answer.object().metadata.uid };
}

async function read(name: string): Promise<ApiObject | undefined> {
  const answer = await server.admin.get(`${MAPS}/${name}`);
  return answer.status === 404 ? undefined : answer.object();
}

async function update(name: string, change: (metadata: Record<string, unknown>) => Record<string, unknown>) {
  const object = await read(name);
  const metadata = change(object?.metadata as unknown as Record<string, unknown>);
  const body = JSON.stringify({ ...object, metadata });
  const headers = { "content-type": "application/json" };
  expect((await server.admin.send(`${MAPS}/${name}`, { method: "PUT", body, headers })).status).toBe(200);
}

async function remove(name: string, propagationPolicy: string): Promise<void> {
  const body = JSON.stringify({ apiVersion: "v1", kind: "DeleteOptions", propagationPolicy });
  const headers = { "content-type": "application/json" };
  expect((await server.admin.send(`${MAPS}/${name}`, { method: "DELETE", body, headers })).status).toBe(200);
}

const gone = (name: string) => eventually(`${name} is gone`, async () => (await read(name)) === undefined);
const ownersOf = async (name: string) => (await read(name))?.metadata as { ownerReferences?: { uid: string }[] };

test("in the background dependents follow their owner, generation after generation", async () => {
  const parent = await create("bg-parent");
  const child = await create("bg-child", [parent]);
  await create("bg-grandchild", [child]);
  await remove("bg-parent", "Background");
  expect(await read("bg-parent")).toBeUndefined();
  await gone("bg-child");
  await gone("bg-grandchild");
});

test("in the foreground an owner waits for the dependents that block it", async () => {
  const parent = await create("fg-parent");
  await create("fg-blocking", [{ ...parent, blockOwnerDeletion: true }], ["example.com/hold"]);
  await create("fg-child", [parent]);
  await remove("fg-parent", "Foreground");
  await gone("fg-child");
  await sleep(HARM_MS);
  expect((await read("fg-parent"))?.metadata).toMatchObject({ finalizers: ["foregroundDeletion"] });
  await update("fg-blocking", (metadata) => ({ ...metadata, finalizers: [] }));
  await gone("fg-blocking");
  await gone("fg-parent");
});

test("orphaned dependents stay, and forget their owner", async () => {
  const [parent, other] = [await create("or-parent"), await create("or-other")];
  await create("or-child", [parent, other]);
  await remove("or-parent", "Orphan");
  await gone("or-parent");
  expect((await ownersOf("or-child")).ownerReferences).toEqual([reference(other)]);
  await sleep(HARM_MS);
  expect(await read("or-child")).toBeDefined();
});

test("an object with another owner left only loses the reference", async () => {
  const [first, second] = [await create("two-first"), await create("two-second")];
  await create("two-child", [first, second]);
  await remove("two-first", "Background");
  await eventually("it forgets the first", async () => (await ownersOf("two-child")).ownerReferences?.length === 1);
  expect((await ownersOf("two-child")).ownerReferences).toEqual([reference(second)]);
});

test("an object whose owner never was is deleted; a uid of another object is no owner", async () => {
  await create("lost", [{ name: "nobody", uid: "11111111-2222-3333-4444-555555555555" }]);
  const real = await create("real");
  await create("mistaken", [{ ...real, name: "not-its-name" }]);
  await create("right", [real]);
  await gone("lost");
  await gone("mistaken");
  await sleep(HARM_MS);
  expect(await read("right")).toBeDefined();
});

test("objects that own each other in a circle all go in the foreground", async () => {
  const first = await create("circle-1");
  const second = await create("circle-2", [{ ...first, blockOwnerDeletion: true }]);
  const third = await create("circle-3", [{ ...second, blockOwnerDeletion: true }]);
  await update("circle-1", (metadata) => ({
    ...metadata,
    ownerReferences: [reference({ ...third, blockOwnerDeletion: true })],
  }));
  await remove("circle-1", "Foreground");
  for (const name of ["circle-1", "circle-2", "circle-3"]) await gone(name);
});

test("an owner in another namespace is none", async () => {
  const elsewhere = await create("elsewhere");
  const headers = { "content-type": "application/json" };
  const metadata = { name: "stranger", ownerReferences: [reference(elsewhere)] };
  const maps = MAPS.replace("default", "orch-public");
  expect((await server.admin.send(maps, { method: "POST", body: JSON.stringify({ metadata }), headers })).status).toBe(
    201,
  );
  await eventually("it is gone", async () => (await server.admin.get(`${maps}/stranger`)).status === 404);
  expect(await read("elsewhere")).toBeDefined();
  const events = "/api/v1/namespaces/orch-public/events?fieldSelector=involvedObject.name%3Dstranger";
  const items = await eventually("somebody says why", async () => {
    const list = (await server.admin.get(events)).object();
    return list.items?.length === 1 && list.items;
  });
  expect(items).toMatchObject([
    { type: "Warning", reason: "OwnerRefInvalidNamespace", involvedObject: { kind: "ConfigMap" } },
  ]);
});

const ROLES = "/apis/rbac.authorization.orch.io/v1/clusterroles";
let uids = 0;
const absentUid = () => `22222222-2222-3333-4444-${String(++uids).padStart(12, "0")}`;

async function createRole(name: string, owners: readonly object[]): Promise<void> {
  const body = JSON.stringify({ metadata: { name, ownerReferences: owners }, rules: [] });
  const headers = { "content-type": "application/json" };
  expect((await server.admin.send(ROLES, { method: "POST", body, headers })).status).toBe(201);
}

const eventsOf = async (name: string) => {
  const list = await server.admin.get(`/api/v1/events?fieldSelector=involvedObject.name%3D${name}`);
  return list.object().items ?? [];
};

test("a cluster-scoped object with a namespaced owner is left alone, and holds up no other of the same owner", async () => {
  const owner = reference({ name: "operator", uid: absentUid(), blockOwnerDeletion: true });
  await createRole("outside", [owner]);
  await eventually("an event says why", async () => (await eventsOf("outside")).length === 1);
  expect(await eventsOf("outside")).toMatchObject([
    { metadata: { namespace: "default" }, type: "Warning", reason: "OwnerRefInvalidNamespace" },
  ]);
  await create("inside", [owner]);
  await gone("inside");
  const after = { ...owner, uid: absentUid() };
  await Promise.all([create("beside", [after]), createRole("outside-2", [after])]);
  await gone("beside");
  expect((await server.admin.get(`${ROLES}/outside-2`)).status).toBe(200);
});

test("a namespaced owner does not wait in the foreground for a cluster-scoped object that names it", async () => {
  const owner = await create("awaited");
  await createRole("never-collected", [reference({ ...owner, blockOwnerDeletion: true })]);
  await remove("awaited", "Foreground");
  await gone("awaited");
  expect((await server.admin.get(`${ROLES}/never-collected`)).status).toBe(200);
});

test.each([
  ["a kind that there is not", { kind: "Nothing" }],
  ["a version that there is not", { apiVersion: "v9" }],
  ["a group that there is not", { apiVersion: "nowhere.example.com/v1" }],
  ["another kind", { kind: "Secret" }],
  ["another name", { name: "not-its-name" }],
])("a reference to %s holds up no other reference to the same uid", async (what, differing) => {
  const owner = reference({ name: "absent", uid: absentUid() });
  const name = what.replaceAll(" ", "-");
  const body = JSON.stringify({ metadata: { name, ownerReferences: [{ ...owner, ...differing }] } });
  const headers = { "content-type": "application/json" };
  expect((await server.admin.send(MAPS, { method: "POST", body, headers })).status).toBe(201);
  await create(`${name}-2`, [owner]);
  await gone(`${name}-2`);
});
