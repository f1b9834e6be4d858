// Resource quotas with two independent servers on one store. The test updates usage itself where no controller does.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openStore, type Store } from "@orch/store";
import { type RunningServer, startServer } from "../server/start-server";
import { type Answer, ApiClient } from "../testing/api-client";
import { DEFINITIONS, definition, WIDGETS, widget } from "../testing/custom-definitions";

const SPACE = "/api/v1/namespaces/default";
const QUOTAS = `${SPACE}/resourcequotas`;
const MERGE = { "content-type": "application/merge-patch+json" };

let store: Store;
let servers: readonly RunningServer[];
let one: ApiClient;
let two: ApiClient;

type Amounts = Readonly<Record<string, string>>;

beforeAll(async () => {
  store = await openStore({ kind: "memory" });
  servers = await Promise.all([startServer({ store }), startServer({ store })]);
  [one, two] = servers.map((server) => new ApiClient(server, server.admin)) as [ApiClient, ApiClient];
});
afterAll(async () => {
  one.close();
  two.close();
  await Promise.all(servers.map((server) => server.stop()));
  await store.close();
});

async function limit(name: string, hard: Amounts, used: Amounts): Promise<void> {
  expect((await one.post(QUOTAS, { metadata: { name }, spec: { hard } })).code).toBe(201);
  const status = { status: { hard, used } };
  expect((await one.ask("PATCH", `${QUOTAS}/${name}/status`, { body: status, headers: MERGE })).code).toBe(200);
  await until(
    two,
    `${QUOTAS}/${name}?resourceVersion=0`,
    ({ json }) => json.status !== undefined && "used" in json.status,
  );
}

async function until(client: ApiClient, path: string, holds: (answer: Answer) => boolean): Promise<void> {
  while (!holds(await client.get(path))) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function usedOf(name: string): Promise<Amounts> {
  return ((await two.get(`${QUOTAS}/${name}`)).json.status as unknown as { used: Amounts }).used;
}

async function outcomes(count: number, send: (at: number) => Promise<Answer>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const answers = await Promise.all(Array.from({ length: count }, (_, at) => send(at)));
  for (const { code } of answers) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}

const either = (at: number): ApiClient => (at % 2 === 0 ? one : two);
const secret = (name: string) => ({ metadata: { name }, stringData: { a: "b" } });

test("a quota limits the created objects across replicas", async () => {
  await limit("secrets", { "count/secrets": "12" }, { "count/secrets": "2" });
  const sent = (at: number) => either(at).post(`${SPACE}/secrets`, secret(`s${at}`));
  expect(await outcomes(30, sent)).toEqual({ 201: 10, 403: 20 });
  expect(await usedOf("secrets")).toEqual({ "count/secrets": "12" });
  const refused = await two.post(`${SPACE}/secrets`, secret("late"));
  expect(refused.json).toMatchObject({
    reason: "Forbidden",
    message:
      'secrets "late" is forbidden: exceeded quota: secrets, requested: count/secrets=1, used: count/secrets=12, limited: count/secrets=12',
    details: { name: "late", kind: "secrets" },
  });
});

test("nothing is charged for what is not stored", async () => {
  await limit("accounts", { "count/serviceaccounts": "3" }, { "count/serviceaccounts": "0" });
  const path = `${SPACE}/serviceaccounts`;
  const sent = (body: object, query = "") => two.post(`${path}${query}`, body);
  expect((await sent({ metadata: { name: "a" } })).code).toBe(201);
  expect((await sent({ metadata: { name: "a" } })).code).toBe(409);
  expect((await sent({ metadata: { name: "A!" } })).code).toBe(422);
  expect((await sent({ metadata: { name: "b" } }, "?dryRun=All")).code).toBe(201);
  expect(await usedOf("accounts")).toEqual({ "count/serviceaccounts": "1" });
  const apply = { "content-type": "application/apply-patch+yaml" };
  const body = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "c" } };
  for (const code of [201, 200]) {
    const answer = await one.ask("PATCH", `${path}/c?fieldManager=m`, { body, headers: apply });
    expect(answer.code).toBe(code);
  }
  expect(await usedOf("accounts")).toEqual({ "count/serviceaccounts": "2" });
  expect(await outcomes(6, (at) => either(at).post(path, { metadata: { generateName: "g-" } }))).toEqual({
    201: 1,
    403: 5,
  });
  expect((await sent({ metadata: { name: "d" } }, "?dryRun=All")).code).toBe(403);
});

test("services are charged for the ports that they open, by creations and by updates", async () => {
  await limit("ports", { "services.nodeports": "4" }, { "services.nodeports": "0" });
  const ports = [1, 2].map((port) => ({ name: `p${port}`, port }));
  const service = (name: string, type: string) => ({ metadata: { name }, spec: { type, ports } });
  const path = `${SPACE}/services`;
  expect((await one.post(path, service("a", "NodePort"))).code).toBe(201);
  expect((await two.post(path, service("b", "ClusterIP"))).code).toBe(201);
  expect((await two.post(path, service("c", "ClusterIP"))).code).toBe(201);
  expect(await usedOf("ports")).toEqual({ "services.nodeports": "2" });
  const open = { body: { spec: { type: "NodePort" } }, headers: MERGE };
  expect(await outcomes(2, (at) => either(at).ask("PATCH", `${path}/${at === 0 ? "b" : "c"}`, open))).toEqual({
    200: 1,
    403: 1,
  });
  expect(await usedOf("ports")).toEqual({ "services.nodeports": "4" });
});

test("custom objects are counted, and those of a kind that comes later", async () => {
  await limit("widgets", { "count/widgets.example.com": "2" }, { "count/widgets.example.com": "0" });
  await one.post(DEFINITIONS, definition());
  for (const client of [one, two]) await until(client, WIDGETS, ({ code }) => code === 200);
  expect(await outcomes(5, (at) => either(at).post(WIDGETS, widget(`w${at}`)))).toEqual({ 201: 2, 403: 3 });
  expect(await usedOf("widgets")).toEqual({ "count/widgets.example.com": "2" });
});

test("objects so large that another thread sees to them are counted with the others", async () => {
  await limit("maps", { configmaps: "4" }, { configmaps: "1" });
  const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`key-${at}`, "value"]));
  const sent = (at: number) =>
    either(at).post(`${SPACE}/configmaps`, { metadata: { name: `m${at}` }, data: at < 3 ? data : { a: "b" } });
  expect(await outcomes(6, sent)).toEqual({ 201: 3, 403: 3 });
  expect(await usedOf("maps")).toEqual({ configmaps: "4" });
});

test("a namespace without a quota, and a server without the plugin, know nothing of it", async () => {
  expect((await one.post("/api/v1/namespaces", { metadata: { name: "free" } })).code).toBe(201);
  expect((await two.post("/api/v1/namespaces/free/secrets", secret("a"))).code).toBe(201);
  const off = await startServer({ store, flags: { "disable-admission-plugins": ["ResourceQuota"] } });
  const client = new ApiClient(off, off.admin);
  expect((await client.post(`${SPACE}/secrets`, secret("more"))).code).toBe(201);
  expect(await usedOf("secrets")).toEqual({ "count/secrets": "12" });
  client.close();
  await off.stop();
});

test("a quota tells that the server counts what is used, and that a client has said the rest", async () => {
  const leases = "count/leases.coordination.orch.io";
  await limit("told", { [leases]: "5", pods: "9" }, { [leases]: "0" });
  for (const name of ["a", "b"]) {
    const { code } = await one.post("/apis/coordination.orch.io/v1/namespaces/default/leases", { metadata: { name } });
    expect(code).toBe(201);
  }
  const { managedFields } = (await one.get(`${QUOTAS}/told`)).json.metadata as unknown as { managedFields: Owner[] };
  const usedBy = managedFields.flatMap(({ manager, operation, subresource, fieldsV1 }) => {
    const used = fieldsV1["f:status"]?.["f:used"];
    return used === undefined ? [] : [[manager, operation, subresource, used]];
  });
  expect(usedBy).toContainEqual(["orch-apiserver", "Update", "status", { [`f:${leases}`]: {} }]);
  expect(usedBy.filter(([, , , used]) => JSON.stringify(used).includes(leases)).length).toBe(1);
});

interface Owner {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly fieldsV1: { readonly "f:status"?: { readonly "f:used"?: object } };
}

test("a quota of a volume attributes class limits the claims that name it or come to it", async () => {
  const own = await openStore({ kind: "memory" });
  const server = await startServer({ store: own, flags: { "emulated-release": "1.36" } });
  const client = new ApiClient(server, server.admin);
  const claims = `${SPACE}/persistentvolumeclaims`;
  const claim = (name: string, volumeAttributesClassName?: string) => ({
    metadata: { name },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      ...(volumeAttributesClassName !== undefined && { volumeAttributesClassName }),
    },
  });
  const gold = { scopeName: "VolumeAttributesClass", operator: "In", values: ["gold"] };
  const spec = { hard: { persistentvolumeclaims: "1" }, scopeSelector: { matchExpressions: [gold] } };
  const status = { hard: { persistentvolumeclaims: "1" }, used: { persistentvolumeclaims: "0" } };
  expect((await client.post(QUOTAS, { metadata: { name: "gold" }, spec })).code).toBe(201);
  await client.ask("PATCH", `${QUOTAS}/gold/status`, { body: { status }, headers: MERGE });
  await until(client, `${QUOTAS}/gold?resourceVersion=0`, ({ json }) => "used" in (json.status ?? {}));

  expect((await client.post(claims, claim("plain"))).code).toBe(201);
  expect((await client.post(claims, claim("first", "gold"))).code).toBe(201);
  const exceeded = "exceeded quota: gold, requested: persistentvolumeclaims=1, used: persistentvolumeclaims=1";
  const second = await client.post(claims, claim("second", "gold"));
  expect([second.code, second.json.message]).toEqual([403, expect.stringContaining(exceeded)]);
  const current = { status: { currentVolumeAttributesClassName: "gold" } };
  const moved = await client.ask("PATCH", `${claims}/plain/status`, { body: current, headers: MERGE });
  expect([moved.code, moved.json.message]).toEqual([403, expect.stringContaining(exceeded)]);
  client.close();
  await server.stop();
  await own.close();
});
