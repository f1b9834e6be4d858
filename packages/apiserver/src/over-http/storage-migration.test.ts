// Storage migrations, as clients observe them.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type Clock, systemClock } from "@orch/platform";
import { openStore, type Store, StoreError } from "@orch/store";
import { type RunningServer, type StartOptions, startWithSeams } from "../server/start-server";
import { ApiClient } from "../testing/api-client";
import { DEFINITIONS, definition, version, WIDGETS, widget } from "../testing/custom-definitions";

const FASTER = 100;
/** A fast clock, so that a row of another replica is taken over soon. */
const clock: Clock = {
  now: () => systemClock.now(),
  elapsed: () => systemClock.elapsed() * FASTER,
  after: (delayMs, callback, options) => systemClock.after(delayMs / FASTER, callback, options),
};

/** Objects per second of that clock: 50 in real time. */
const SLOWLY = 50 / FASTER;

const MIGRATE = "/debug/migrate";
const OF_WIDGETS = `${MIGRATE}?resource=widgets.example.com`;
const KEYS = "/registry/example.com/widgets/default/";
const MERGE = { "content-type": "application/merge-patch+json" };
const merge = (client: ApiClient, path: string, body: object) => client.ask("PATCH", path, { headers: MERGE, body });
const soon = () => new Promise((resolve) => setTimeout(resolve, 5));

type ServerFlags = NonNullable<StartOptions["flags"]>;

interface Row {
  readonly resource: string;
  readonly phase: string;
  readonly [member: string]: unknown;
}

interface Replica {
  readonly server: RunningServer;
  readonly admin: ApiClient;
}

let store: Store;
const replicas: Replica[] = [];

async function replica(over: Store = store, rate = 1_000_000, flags: ServerFlags = {}): Promise<Replica> {
  const server = await startWithSeams({ store: over, flags: { "storage-migration-rate": rate, ...flags } }, { clock });
  const made = { server, admin: new ApiClient(server, server.admin) };
  replicas.push(made);
  return made;
}

async function stop({ server, admin }: Replica): Promise<void> {
  admin.close();
  await server.stop();
}

async function stopAll(): Promise<void> {
  await Promise.all(replicas.splice(0).map(stop));
}

const rowsOf = async (client: ApiClient, path = MIGRATE) => {
  const { code, text } = await client.get(path);
  expect(code).toBe(200);
  return (JSON.parse(text) as { migrations: Row[] }).migrations;
};

async function rowWhere(client: ApiClient, path: string, holds: (row: Row) => boolean): Promise<Row> {
  for (;;) {
    const row = (await rowsOf(client, path)).find(holds);
    if (row !== undefined) return row;
    await soon();
  }
}

const ended = (client: ApiClient, path = OF_WIDGETS) =>
  rowWhere(client, path, ({ phase }) => phase === "Succeeded" || phase === "Failed");

async function widgetsInStore() {
  const { items } = await store.range({ start: KEYS, end: `${KEYS.slice(0, -1)}0` });
  return items.map(({ value, version: writes, modRevision }) => {
    const { apiVersion, spec, metadata } = JSON.parse(value.toString());
    return { name: metadata.name as string, apiVersion: apiVersion as string, spec, writes, modRevision };
  });
}

const storedIn = (storage: string) => ["v1", "v2"].map((name) => version(name, { storage: name === storage }));
const names = Array.from({ length: 40 }, (_, at) => `w${String(at).padStart(2, "0")}`);
const storedVersions = async (client: ApiClient) =>
  ((await client.get(`${DEFINITIONS}/widgets.example.com`)).json.status as unknown as { storedVersions: string[] })
    .storedVersions;

/** Creates 40 widgets stored in v1, whose definition then stores v2. */
async function formerWidgets(admin: ApiClient): Promise<void> {
  await admin.post(DEFINITIONS, definition({ versions: storedIn("v1") }));
  while ((await admin.get(WIDGETS)).code !== 200) await soon();
  for (const name of names) await admin.post(WIDGETS, widget(name, { spec: { count: 0 } }));
  await merge(admin, `${DEFINITIONS}/widgets.example.com`, { spec: { versions: storedIn("v2") } });
  for (;;) {
    await admin.post(WIDGETS, widget("probe"));
    const [probe] = (await widgetsInStore()).filter(({ name }) => name === "probe");
    await admin.delete(`${WIDGETS}/probe`);
    if (probe?.apiVersion === "example.com/v2") return;
  }
}

describe("on one server", () => {
  let admin: ApiClient;
  let server: RunningServer;
  beforeAll(async () => {
    store = await openStore({ kind: "memory" });
    ({ admin, server } = await replica());
  });
  afterAll(async () => {
    await stopAll();
    await store.close();
  });

  test("custom objects are stored again in the storage version, those that are not there yet alone, and the definition says so", async () => {
    await formerWidgets(admin);
    await merge(admin, `${WIDGETS}/w07`, { spec: { count: 7 } });
    const before = new Map((await widgetsInStore()).map((each) => [each.name, each.modRevision]));
    expect(await storedVersions(admin)).toEqual(["v1", "v2"]);
    const { resourceVersion } = (await admin.get(WIDGETS)).json.metadata;
    const watch = await admin.watch(`${WIDGETS}?watch=1&resourceVersion=${resourceVersion}`);

    const asked = await admin.post(OF_WIDGETS, "");
    expect([asked.code, JSON.parse(asked.text)]).toMatchObject([
      202,
      { record: "storage-migrations", migrations: [{ resource: "widgets.example.com" }] },
    ]);
    expect(await ended(admin)).toMatchObject({
      ...{ resource: "widgets.example.com", phase: "Succeeded", message: "all objects are stored in example.com/v2" },
      ...{ storageVersion: "example.com/v2", rewritten: 39, failed: 0, looked: 40, objects: 40, by: "", after: "" },
    });

    const after = await widgetsInStore();
    expect(after.filter(({ apiVersion }) => apiVersion !== "example.com/v2")).toEqual([]);
    expect(after.filter(({ name, modRevision }) => modRevision === before.get(name)).map(({ name }) => name)).toEqual([
      "w07",
    ]);
    const told: string[] = [];
    while (told.length < 39)
      told.push(((await watch.next()) as { object: { metadata: { name: string } } }).object.metadata.name);
    expect(told.toSorted()).toEqual(names.filter((name) => name !== "w07"));
    watch.close();
    const { json } = await admin.get(`${WIDGETS}/w00`);
    expect(json).toMatchObject({ apiVersion: "example.com/v1", metadata: { generation: 1 }, spec: { count: 0 } });

    // No object is stored in the former version, which may be removed.
    expect(await storedVersions(admin)).toEqual(["v2"]);
    const { text } = await admin.get("/metrics");
    expect(text).toContain(
      'apiserver_storage_migrated_objects_total{resource="widgets.example.com",result="rewritten"} 39',
    );
    expect(text).toContain('apiserver_storage_migration_progress_ratio{resource="widgets.example.com"} 1');
  });

  test("an object of many values is stored again by another thread", async () => {
    const items = Array.from({ length: 12_000 }, (_, at) => at);
    await admin.post(WIDGETS, widget("w40", { spec: { items } }));
    await merge(admin, `${DEFINITIONS}/widgets.example.com`, { spec: { versions: storedIn("v1") } });
    await admin.post(OF_WIDGETS, "");
    const row = await rowWhere(
      admin,
      OF_WIDGETS,
      ({ finished, storageVersion }) => finished !== "" && storageVersion === "example.com/v1",
    );
    expect(row).toMatchObject({ phase: "Succeeded", rewritten: 41 });
    const large = (await widgetsInStore()).find(({ name }) => name === "w40");
    expect(large).toMatchObject({ apiVersion: "example.com/v1", spec: { items } });
    await admin.delete(`${WIDGETS}/w40`);
  });

  test("a repeated migration writes nothing", async () => {
    const before = await widgetsInStore();
    await admin.post(OF_WIDGETS, "");
    expect(await ended(admin)).toMatchObject({ phase: "Succeeded", rewritten: 0, pass: 1 });
    expect(await widgetsInStore()).toEqual(before);
  });

  test("built-in objects are brought into the version in which they are stored", async () => {
    const PATH = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
    for (const name of ["a", "b"]) {
      await admin.post(PATH, { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name }, spec: {} });
    }
    const key = "/registry/policy/poddisruptionbudgets/default/a";
    const read = async () => ((await store.range({ start: key })).items[0]?.value ?? "").toString();
    const present = await read();
    const [, inVersion] = /"apiVersion":"(policy\/[^"]+)"/.exec(present) ?? [];
    const other = inVersion === "policy/v1" ? "policy/v1beta1" : "policy/v1";
    const value = Buffer.from(present.replaceAll(inVersion ?? "", other));
    await store.txn({ compare: [], then: [{ kind: "put", key, value }] });
    await admin.post(`${MIGRATE}?resource=poddisruptionbudgets.policy`, "");
    const row = await ended(admin, `${MIGRATE}?resource=poddisruptionbudgets.policy`);
    expect(row).toMatchObject({ phase: "Succeeded", rewritten: 1, looked: 2, storageVersion: inVersion });
    expect(await read()).toContain(`"apiVersion":"${inVersion}"`);
  });

  test("unreadable objects stay unchanged and are reported by the migration", async () => {
    const key = "/registry/core/configmaps/default/odd";
    await store.txn({
      compare: [],
      then: [{ kind: "put", key, value: Buffer.from('{"kind":"ConfigMap","apiVersion":"v9"}') }],
    });
    await admin.post(`${MIGRATE}?resource=configmaps`, "");
    const row = await ended(admin, `${MIGRATE}?resource=configmaps`);
    expect(row).toMatchObject({ phase: "Failed", message: "1 cannot be read: default/odd" });
    await store.txn({ compare: [], then: [{ kind: "delete", start: key }] });
  });

  test.each<[string, string, string]>([
    ["none", "", "resource: must name a resource, such as secrets or widgets.example.com, or * for all"],
    ["one that is not served", "?resource=gizmos.example.com", '"gizmos.example.com" is not a stored resource'],
    ["one without a name", "?resource=secrets&resource=", '"" is not a stored resource'],
    ["one that is answered", "?resource=tokenreviews.authentication.orch.io", "is not a stored resource"],
    ["one that is found out when it is asked for", "?resource=componentstatuses", "is not a stored resource"],
    ["too many", `?${"resource=x&".repeat(101)}`, "must name at most 100 resources"],
  ])("a request is refused that names %s", async (_what, query, why) => {
    const { code, json } = await admin.post(`${MIGRATE}${query}`, "");
    expect([code, json.reason, json.message]).toEqual([400, "BadRequest", expect.stringContaining(why)]);
  });

  test("starting and reading a migration require authorization", async () => {
    const jane = new ApiClient(server, server.issueClient({ name: "jane" }));
    expect((await jane.get(MIGRATE)).code).toBe(403);
    const rules = [{ nonResourceURLs: [MIGRATE], verbs: ["get"] }];
    const rbac = "/apis/rbac.authorization.orch.io/v1";
    await admin.post(`${rbac}/clusterroles`, { metadata: { name: "looks" }, rules });
    await admin.post(`${rbac}/clusterrolebindings`, {
      metadata: { name: "looks" },
      roleRef: { apiGroup: "rbac.authorization.orch.io", kind: "ClusterRole", name: "looks" },
      subjects: [{ apiGroup: "rbac.authorization.orch.io", kind: "User", name: "jane" }],
    });
    while ((await jane.get(MIGRATE)).code !== 200) await soon();
    const { code, json } = await jane.post(OF_WIDGETS, "");
    expect([code, json.message]).toEqual([403, expect.stringContaining('cannot post path "/debug/migrate"')]);
    expect((await admin.put(MIGRATE, {})).code).toBe(405);
    jane.close();
  });

  test("everything can be asked for at once", async () => {
    const asked = await admin.post(`${MIGRATE}?resource=*`, "");
    expect(asked.code).toBe(202);
    const isOver = ({ phase }: Row) => phase === "Succeeded" || phase === "Failed";
    for (;;) {
      const rows = await rowsOf(admin);
      if (rows.every(isOver)) {
        expect(rows.filter(({ phase }) => phase === "Failed")).toEqual([]);
        expect(rows.length).toBeGreaterThan(40);
        return;
      }
      await soon();
    }
  });
});

describe("on two servers", () => {
  beforeEach(async () => {
    store = await openStore({ kind: "memory" });
  });
  afterEach(async () => {
    await stopAll();
    await store.close();
  });

  /** Requires each object to be migrated once, by one replica. */
  async function expectAllOnce(admin: ApiClient): Promise<void> {
    expect(await ended(admin)).toMatchObject({ phase: "Succeeded", looked: 40 });
    const found = await widgetsInStore();
    expect(found.map(({ apiVersion, writes }) => [apiVersion, writes])).toEqual(names.map(() => ["example.com/v2", 2]));
    expect(await storedVersions(admin)).toEqual(["v2"]);
  }

  test("where one stops, the other goes on from there", async () => {
    const first = await replica(store, SLOWLY);
    await formerWidgets(first.admin);
    await first.admin.post(OF_WIDGETS, "");
    await rowWhere(first.admin, OF_WIDGETS, ({ rewritten }) => Number(rewritten) > 5);
    const other = await replica();
    await stop(first);
    replicas.splice(replicas.indexOf(first), 1);
    await expectAllOnce(other.admin);
  });

  test("where one is lost with what it was at, the other goes on from what is written down, and none of it is done twice", async () => {
    const lost = losable(store);
    const first = await replica(lost.store, SLOWLY);
    await formerWidgets(first.admin);
    await first.admin.post(OF_WIDGETS, "");
    await rowWhere(first.admin, OF_WIDGETS, ({ rewritten }) => Number(rewritten) > 5);
    lost.lose();
    const other = await replica();
    await expectAllOnce(other.admin);
  });

  test("clients that write meanwhile lose nothing", async () => {
    const first = await replica(store, SLOWLY);
    const other = await replica();
    await formerWidgets(first.admin);
    await first.admin.post(OF_WIDGETS, "");
    let over = false;
    const counting = [first, other].map(async ({ admin }) => {
      const counts = new Map<string, number>();
      for (let at = 0; !over || at < names.length; at += 1) {
        const name = names[(at * 7) % names.length] as string;
        const { json } = await admin.get(`${WIDGETS}/${name}`);
        const { count } = json.spec as unknown as { readonly count: number };
        const body = { ...json, spec: { count: count + 1 } };
        if ((await admin.put(`${WIDGETS}/${name}`, body)).code === 200) counts.set(name, (counts.get(name) ?? 0) + 1);
      }
      return counts;
    });
    expect(await ended(other.admin)).toMatchObject({ phase: "Succeeded" });
    over = true;
    const [one, two] = (await Promise.all(counting)) as [Map<string, number>, Map<string, number>];
    const found = await widgetsInStore();
    expect(found.map(({ name, apiVersion, spec }) => [name, apiVersion, spec.count])).toEqual(
      names.map((name) => [name, "example.com/v2", (one.get(name) ?? 0) + (two.get(name) ?? 0)]),
    );
  });
});

/** A store that stops answering on demand. */
function losable(of: Store): { readonly store: Store; lose(): void } {
  let isLost = false;
  const gone = () => Promise.reject(new StoreError("unavailable", "lost"));
  const lossy: Store = Object.create(of, {
    txn: { value: (...asked: Parameters<Store["txn"]>) => (isLost ? gone() : of.txn(...asked)) },
    range: { value: (...asked: Parameters<Store["range"]>) => (isLost ? gone() : of.range(...asked)) },
  });
  const lose = () => {
    isLost = true;
  };
  return { store: lossy, lose };
}

describe("StorageVersionMigration objects", () => {
  const OBJECTS = "/apis/storagemigration.orch.io/v1beta1/storageversionmigrations";
  const flags: ServerFlags = {
    "emulated-release": "1.36",
    "runtime-config": { "storagemigration.orch.io/v1beta1": "true" },
    "feature-gates": { StorageVersionMigrator: true },
  };
  let admin: ApiClient;

  interface MigrationStatus {
    readonly resourceVersion?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message: string }[];
  }

  const create = (name: string, resource: object) => admin.post(OBJECTS, { metadata: { name }, spec: { resource } });

  async function concluded(name: string): Promise<MigrationStatus> {
    for (;;) {
      const status = (await admin.get(`${OBJECTS}/${name}`)).json.status as unknown as MigrationStatus;
      if (status.conditions?.some(({ type }) => type === "Succeeded" || type === "Failed")) return status;
      await soon();
    }
  }

  beforeAll(async () => {
    store = await openStore({ kind: "memory" });
    ({ admin } = await replica(store, 1_000_000, flags));
    await replica(store, 1_000_000, flags);
  });
  afterAll(async () => {
    await stopAll();
    await store.close();
  });

  test("migrate their resource, and their conditions show the outcome", async () => {
    await formerWidgets(admin);
    const { resourceVersion } = (await admin.get(WIDGETS)).json.metadata;
    const made = await create("widgets", { group: "example.com", resource: "widgets" });
    expect([made.code, made.json.status]).toEqual([201, {}]);
    const status = await concluded("widgets");
    expect(status.conditions?.map(({ type, status: value }) => [type, value])).toEqual([
      ["Running", "True"],
      ["Succeeded", "True"],
    ]);
    expect(Number(status.resourceVersion)).toBeGreaterThanOrEqual(Number(resourceVersion));
    expect((await widgetsInStore()).filter(({ apiVersion }) => apiVersion !== "example.com/v2")).toEqual([]);
    const table = await admin.get(OBJECTS, { headers: { accept: "application/json;as=Table;v=v1;g=meta.orch.io" } });
    expect(table.json.rows.map(({ cells }) => cells)).toEqual([["widgets", "widgets.example.com", "Succeeded"]]);
  });

  test("fail when their resource is not stored", async () => {
    await create("missing", { resource: "gadgets" });
    const { conditions } = await concluded("missing");
    expect(conditions).toMatchObject([
      { type: "Failed", status: "True", message: "gadgets is not a stored resource of this server" },
    ]);
  });

  test("succeed again when their resource was migrated before", async () => {
    await create("again", { group: "example.com", resource: "widgets" });
    expect((await concluded("again")).conditions).toMatchObject([{ type: "Running" }, { type: "Succeeded" }]);
  });

  test("do not change their resource", async () => {
    const { json } = await admin.get(`${OBJECTS}/again`);
    const put = await admin.put(`${OBJECTS}/again`, { ...json, spec: { resource: { resource: "pods" } } });
    expect([put.code, put.json.message]).toEqual([422, expect.stringContaining("spec: Invalid value")]);
  });
});
