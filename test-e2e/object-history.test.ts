// The history of objects: what is recorded, who sees it, and going back to it. Real servers, killed in the middle of
// writes.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { configMap, configMapsPath, expectStatus, freshNamespace } from "./harness/config-maps";
import { sealing } from "./harness/encryption-configuration";
import { startEtcd } from "./harness/etcd";
import { eventually } from "./harness/eventually";
import type { ApiClient } from "./harness/https-client";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
/** The machine may be busy. */
const PATIENT = { timeoutMs: 60_000 };
const NAMESPACES = "/api/v1/namespaces";
const PASSWORD = "correct horse battery staple";
const ENCODED = Buffer.from(PASSWORD).toString("base64");

interface Revision {
  readonly resourceVersion: string;
  readonly replaces?: string;
  readonly change: string;
  readonly user: string;
  readonly verb: string;
  readonly fieldManager?: string;
  readonly patch?: readonly object[];
  readonly note?: string;
}

async function revisions(client: ApiClient, path: string): Promise<readonly Revision[]> {
  const list = await expectStatus(200, client.get(`${path}/history`));
  return list.items as unknown as readonly Revision[];
}

async function write(client: ApiClient, path: string, data: Record<string, string>): Promise<string> {
  const name = path.split("/").pop() ?? "";
  const present = await client.get(path);
  const collection = path.slice(0, -name.length - 1);
  const sent =
    present.status === 404
      ? await expectStatus(201, client.post(collection, configMap(name, data)))
      : await expectStatus(200, client.put(path, configMap(name, data)));
  return sent.metadata.resourceVersion;
}

const post = (client: ApiClient, path: string) => client.send(path, { method: "POST" });

let server: ApiServer;
let auditLog: string;

beforeAll(async () => {
  const folder = workplace.folder();
  auditLog = join(folder, "audit.log");
  const policy = join(folder, "policy.json");
  const rules = [
    { level: "Metadata", resources: [{ group: "", resources: ["secrets"] }] },
    { level: "RequestResponse", resources: [{ group: "" }] },
  ];
  writeFileSync(policy, JSON.stringify({ apiVersion: "audit.k8s.io/v1", kind: "Policy", rules }));
  server = await startApiServer(workplace, {
    store: { kind: "embedded" },
    flags: [
      "--vocabulary=kubernetes",
      ...["--history=configmaps,secrets=3", "--history=*.example.com=5", "--history-trim-interval=500ms"],
      `--encryption-provider-config=${sealing(workplace, "secrets")}`,
      ...[`--audit-policy-file=${policy}`, `--audit-log-path=${auditLog}`],
    ],
  });
}, 60_000);

test("a rollback and a restore bring states back, through validation, conflicts and quota", async () => {
  const { admin } = server;
  const maps = await freshNamespace(admin, "back");
  const path = `${maps}/a`;
  const red = await write(admin, path, { color: "red" });
  const blue = await write(admin, path, { color: "blue" });
  const told = await revisions(admin, path);
  expect(told.map(({ change, patch }) => ({ change, patch }))).toEqual([
    { change: "updated", patch: [{ op: "replace", path: "/data/color", value: "blue" }] },
    { change: "created", patch: undefined },
  ]);
  expect(await expectStatus(200, admin.get(`${path}/history?revision=${red}`))).toMatchObject({
    ...{ kind: "ConfigMap", data: { color: "red" }, metadata: { resourceVersion: red } },
  });

  await expectStatus(409, post(admin, `${path}/rollback?revision=${red}&resourceVersion=${red}`));
  await expectStatus(200, post(admin, `${path}/rollback?revision=${red}&dryRun=All`));
  const back = await expectStatus(
    200,
    post(admin, `${path}/rollback?revision=${red}&resourceVersion=${blue}&fieldManager=undo`),
  );
  expect(back).toMatchObject({ data: { color: "red" } });
  expect(back.metadata.resourceVersion).not.toBe(red);
  expect((await revisions(admin, path))[0]).toMatchObject({ change: "updated", replaces: blue, fieldManager: "undo" });

  const locked = { ...configMap("a", { color: "red" }), immutable: true };
  await expectStatus(200, admin.put(path, locked));
  await expectStatus(422, post(admin, `${path}/rollback?revision=${blue}`));

  const { uid } = (await expectStatus(200, admin.get(path))).metadata;
  await expectStatus(409, post(admin, `${path}/restore?revision=${blue}`));
  await expectStatus(200, admin.delete(path));
  const gone = await expectStatus(200, admin.get(`${maps}?history=deleted`));
  expect(gone.items).toEqual([expect.objectContaining({ namespace: "back", name: "a", uid })]);
  await expectStatus(404, post(admin, `${path}/rollback?revision=${blue}`));
  const quota = {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "none" },
    spec: { hard: { configmaps: "0" } },
  };
  await expectStatus(201, admin.post(`${NAMESPACES}/back/resourcequotas`, quota));
  // The controller manager would count.
  const counted = { ...quota, status: { ...quota.spec, used: { configmaps: "0" } } };
  await expectStatus(200, admin.put(`${NAMESPACES}/back/resourcequotas/none/status`, counted));
  await expectStatus(403, post(admin, `${path}/restore`));
  await expectStatus(200, admin.delete(`${NAMESPACES}/back/resourcequotas/none`));
  const again = await expectStatus(201, post(admin, `${path}/restore`));
  expect(again).toMatchObject({ data: { color: "red" }, immutable: true });
  expect(again.metadata.uid).not.toBe(uid);
  expect((await expectStatus(200, admin.get(`${maps}?history=deleted`))).items).toEqual([]);
}, 30_000);

describe("wrong requests", () => {
  test.each([
    ["history?revision=abc", "GET", 400, "not a resource version"],
    ["history?revision=0", "GET", 400, "not a resource version"],
    ["history?revision=99999999999999999999", "GET", 400, "not a resource version"],
    ["history?revision=1", "GET", 404, "no state of configmaps"],
    ["history?limit=-1", "GET", 400, "must be a number"],
    ["history?limit=1e9", "GET", 400, "must be a number"],
    ["history?watch=true", "GET", 400, "not a parameter"],
    ["rollback", "POST", 400, "the parameter is required"],
    ["rollback?revision=1", "POST", 404, "no state of configmaps"],
    ["rollback?revision=1&force=true", "POST", 400, "not a parameter"],
    ["rollback?revision=1", "GET", 405, ""],
    ["history", "DELETE", 405, ""],
  ])("%s by %s is answered %i", async (part, method, status, text) => {
    const path = `${configMapsPath()}/wrong`;
    await write(server.admin, path, {});
    const answer = await server.admin.send(`${path}/${part}`, { method });
    expect([answer.status, answer.body]).toEqual([status, expect.stringContaining(text)]);
  });

  test("an object without a history, a missing object and a missing history are told apart", async () => {
    const { admin } = server;
    await expectStatus(404, admin.get(`${configMapsPath()}/nothing/history`));
    await expectStatus(404, post(admin, `${configMapsPath()}/nothing/restore`));
    await expectStatus(404, admin.get(`${NAMESPACES}/default/history`));
    await expectStatus(400, admin.get(`${NAMESPACES}?history=deleted`));
    await expectStatus(400, admin.get(`${configMapsPath()}?history=all`));
    const account = `${NAMESPACES}/default/serviceaccounts/quiet`;
    const object = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "quiet" } };
    await expectStatus(201, admin.post(`${NAMESPACES}/default/serviceaccounts`, object));
    expect(await revisions(admin, account)).toEqual([]);
  });
});

test("discovery lists the subresources of the resources with a history alone", async () => {
  const list = JSON.parse((await server.admin.get("/api/v1")).body) as {
    resources: { name: string; group?: string; kind: string; verbs: string[] }[];
  };
  const names = list.resources.map(({ name, group = "", kind, verbs }) => `${name} ${group} ${kind} ${verbs.join()}`);
  for (const each of [
    "configmaps/history meta.k8s.io RevisionList get",
    "configmaps/restore  ConfigMap create",
    "configmaps/rollback  ConfigMap create",
  ])
    expect(names).toContain(each);
  expect(names.filter((name) => /^(pods|namespaces|events)\/(history|rollback|restore)/.test(name))).toEqual([]);
});

test("values of Secrets are shown to those who may read them, are encrypted, and are not in the audit log", async () => {
  const { admin } = server;
  const path = `${NAMESPACES}/default/secrets/s`;
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" } };
  const first = await expectStatus(
    201,
    admin.post(`${NAMESPACES}/default/secrets`, { ...secret, stringData: { password: PASSWORD } }),
  );
  await expectStatus(200, admin.put(path, { ...secret, stringData: { password: "other" } }));
  const role = {
    ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "watcher" } },
    rules: [
      { apiGroups: [""], resources: ["secrets/history"], verbs: ["get"] },
      { apiGroups: [""], resources: ["secrets/rollback"], verbs: ["create"] },
      { apiGroups: [""], resources: ["secrets"], verbs: ["update"] },
    ],
  };
  const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
  await expectStatus(201, admin.post(`${rbac}/roles`, role));
  const binding = {
    ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding", metadata: { name: "watcher" } },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "watcher" },
    subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "ann" }],
  };
  await expectStatus(201, admin.post(`${rbac}/rolebindings`, binding));
  const ann = server.client(server.authority.user("ann"));
  const seen = await eventually("the role is in force", async () => {
    const answer = await ann.get(`${path}/history`);
    return answer.status === 200 && answer;
  });
  expect(seen.object().items).toHaveLength(2);
  expect(seen.body).not.toContain(ENCODED);
  expect(seen.body).toContain("requires the verb");
  const old = first.metadata.resourceVersion;
  await expectStatus(403, ann.get(`${path}/history?revision=${old}`));
  await expectStatus(403, post(ann, `${path}/rollback?revision=${old}`));
  await expectStatus(403, post(ann, `${path}/restore`));
  await expectStatus(403, server.client(server.authority.user("bob")).get(`${path}/history`));

  const other = Buffer.from("other").toString("base64");
  expect(seen.body).not.toContain(other);
  expect((await admin.get(`${path}/history`)).body).toContain(other);
  expect((await admin.get(`${path}/history?revision=${old}`)).body).toContain(ENCODED);
  expect((await post(admin, `${path}/rollback?revision=${old}`)).body).toContain(ENCODED);
  const log = await eventually("the audit log has the rollback", async () => {
    const text = readFileSync(auditLog, "utf8");
    return text.includes("secrets/s/rollback") && text;
  });
  expect(log).toContain('"subresource":"history"');
  expect(log).not.toContain(ENCODED);
  expect(log).not.toContain(PASSWORD);
  for (const file of workplaceFiles(join(server.dataDir, "store")))
    expect(readFileSync(file).includes(ENCODED)).toBe(false);
}, 30_000);

test("a namespace's annotation keeps states, within bounds that are enforced", async () => {
  const { admin } = server;
  const metadata = { name: "annotated", annotations: { "kubernetes.io/history": "2" } };
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata };
  for (const wrong of ["0", "101", "-1", "two", "1000000000000"]) {
    const annotations = { "kubernetes.io/history": wrong };
    await expectStatus(422, admin.post(NAMESPACES, { ...namespace, metadata: { ...metadata, annotations } }));
  }
  await expectStatus(201, admin.post(NAMESPACES, namespace));
  const accounts = `${NAMESPACES}/annotated/serviceaccounts`;
  const account = (label: string) => ({
    ...{ apiVersion: "v1", kind: "ServiceAccount" },
    metadata: { name: "robot", labels: { label } },
  });
  await expectStatus(201, admin.post(accounts, account("0")));
  for (const label of ["1", "2", "3", "4"]) await expectStatus(200, admin.put(`${accounts}/robot`, account(label)));
  await eventually(
    "the bounds are in force",
    async () => (await revisions(admin, `${accounts}/robot`)).length === 2,
    PATIENT,
  );
  const [newest] = await revisions(admin, `${accounts}/robot`);
  expect(newest?.patch).toEqual([{ op: "replace", path: "/metadata/labels/label", value: "4" }]);
});

test("custom resources have a history, by the option", async () => {
  const { admin } = server;
  const names = { plural: "crontabs", kind: "CronTab" };
  const schema = {
    openAPIV3Schema: {
      type: "object",
      properties: { spec: { type: "object", properties: { at: { type: "string" } } } },
    },
  };
  const definition = {
    ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
    metadata: { name: "crontabs.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names,
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
  await expectStatus(201, admin.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition));
  const path = "/apis/example.com/v1/namespaces/default/crontabs";
  await eventually("it is served", async () => (await admin.get(path)).status === 200);
  const tab = (at: string) => ({
    ...{ apiVersion: "example.com/v1", kind: "CronTab", metadata: { name: "c" }, spec: { at } },
  });
  const first = await expectStatus(201, admin.post(path, tab("1")));
  const second = await expectStatus(200, admin.get(`${path}/c`));
  const merge = { method: "PATCH", headers: { "content-type": "application/merge-patch+json" } };
  await expectStatus(200, admin.send(`${path}/c`, { ...merge, body: JSON.stringify({ spec: { at: "2" } }) }));
  expect(second.metadata.uid).toBe(first.metadata.uid);
  expect((await revisions(admin, `${path}/c`))[0]).toMatchObject({
    verb: "patch",
    patch: [
      { op: "replace", path: "/metadata/generation", value: 2 },
      { op: "replace", path: "/spec/at", value: "2" },
    ],
  });
  const back = post(admin, `${path}/c/rollback?revision=${first.metadata.resourceVersion}`);
  expect(await expectStatus(200, back)).toMatchObject({ spec: { at: "1" } });
  const published = await expectStatus(200, admin.get("/openapi/v3/apis/example.com/v1"));
  const { paths, components } = published as unknown as {
    readonly paths: Readonly<Record<string, object>>;
    readonly components: { readonly schemas: Readonly<Record<string, object>> };
  };
  const one = "/apis/example.com/v1/namespaces/{namespace}/crontabs/{name}";
  for (const [part, method] of Object.entries({ history: "get", rollback: "post", restore: "post" }))
    expect(paths[`${one}/${part}`]).toHaveProperty(method);
  expect(Object.keys(components.schemas)).toContain("io.k8s.apimachinery.pkg.apis.meta.v1.RevisionList");
});

test("objects of megabytes have a history that bounds its answers, and does not delay other requests", async () => {
  const { admin } = server;
  const path = `${configMapsPath()}/large`;
  const data = (fill: string) =>
    Object.fromEntries(Array.from({ length: 4000 }, (_, index) => [`k${index}`, fill.repeat(200)]));
  const first = await write(admin, path, data("a"));
  for (const fill of ["b", "c"]) await write(admin, path, data(fill));
  const answer = await admin.get(`${path}/history`);
  expect(answer.status).toBe(200);
  expect(answer.body.length).toBeLessThan(10_000);
  expect(answer.body).toContain("more than");
  const back = await expectStatus(200, post(admin, `${path}/rollback?revision=${first}`));
  expect((back as unknown as { data: Record<string, string> }).data["k0"]).toBe("a".repeat(200));
}, 30_000);

test.each(["embedded", "etcd"] as const)(
  "kill -9 in the middle of writes loses neither an object nor its history, store %s",
  async (kind) => {
    const store = kind === "etcd" ? { kind, endpoints: (await startEtcd(workplace)).endpoints } : { kind };
    const killed = await startApiServer(workplace, { name: `history-${kind}`, store });
    const metadata = { name: "crash", annotations: { "orch.io/history": "100" } };
    await expectStatus(201, killed.admin.post(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata }));
    const acknowledged = new Map(["a", "b", "c", "d"].map((name): [string, string[]] => [name, []]));
    /** Writes until the server is away, or until there are so many writes of each object. */
    const load = (count: number) =>
      Promise.all(
        [...acknowledged].map(async ([name, known]) => {
          const path = `${configMapsPath("crash")}/${name}`;
          try {
            while (known.length < count)
              known.push(await write(killed.admin, path, { count: `${known.length} of ${count}` }));
          } catch {
            // The server was killed. The outcome of this write is unknown.
          }
        }),
      );
    const underWay = load(Number.POSITIVE_INFINITY);
    const all = (count: number) => async () => [...acknowledged.values()].every(({ length }) => length >= count);
    await eventually("some writes", all(10), PATIENT);
    await killed.kill();
    await underWay;
    killed.launch();
    const isReady = async () => (await killed.admin.get("/readyz").catch(() => undefined))?.status === 200;
    await eventually("it is ready again", isReady, PATIENT);
    await load(5 + Math.max(...[...acknowledged.values()].map(({ length }) => length)));
    for (const [name, known] of acknowledged) {
      const path = `${configMapsPath("crash")}/${name}`;
      const told = (await expectStatus(200, killed.admin.get(`${path}/history?limit=500`)))
        .items as unknown as Revision[];
      const versions = new Set(told.map(({ resourceVersion }) => resourceVersion));
      expect(known.filter((version) => !versions.has(version))).toEqual([]);
      const present = (await expectStatus(200, killed.admin.get(path))).metadata.resourceVersion;
      // Each revision continues the one before it, from the present object to its creation.
      expect([present, ...told.map(({ replaces }) => replaces)]).toEqual([
        ...told.map(({ resourceVersion }) => resourceVersion),
        undefined,
      ]);
    }
    await killed.program.stop();
  },
  180_000,
);

/** Files in a folder and below. */
function workplaceFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}
