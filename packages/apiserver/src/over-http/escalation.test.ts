// Users with write access to roles and bindings cannot gain further permissions.
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openStore } from "@orch/store";
import { type RunningServer, startServer } from "../server/start-server";
import { type Answer, ApiClient } from "../testing/api-client";

const GROUP = "rbac.authorization.orch.io";
const RBAC = `/apis/${GROUP}/v1`;
const LOCAL = `${RBAC}/namespaces/default`;
const MISSING = "is attempting to grant RBAC permissions not currently held:";

type Rule = Readonly<Record<string, readonly string[]>>;

const rule = (resources: readonly string[], verbs: readonly string[], apiGroups: readonly string[] = [""]): Rule => ({
  apiGroups,
  resources,
  verbs,
});
const GET_PODS = rule(["pods"], ["get"]);
const EVERYTHING = rule(["*"], ["*"], ["*"]);
const EVERY_PATH: Rule = { nonResourceURLs: ["*"], verbs: ["*"] };
const WRITE_RBAC = rule(["*"], ["get", "list", "create", "update", "patch", "delete"], [GROUP]);

const named = (name: string, rules: readonly Rule[], more: object = {}) => ({ metadata: { name }, rules, ...more });
const selecting = { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] } };
const binding = (name: string, kind: string, role: string, user = "ann") => ({
  metadata: { name },
  subjects: [{ kind: "User", name: user, apiGroup: GROUP }],
  roleRef: { kind, name: role, apiGroup: GROUP },
});

let server: RunningServer;
let admin: ApiClient;
const clients: ApiClient[] = [];

const as = (name: string, groups: readonly string[] = []): ApiClient => {
  const client = new ApiClient(server, server.issueClient({ name, groups }));
  clients.push(client);
  return client;
};

/** A client of a user with write access to all roles and bindings, and the given rules. */
async function writerWith(name: string, rules: readonly Rule[]): Promise<ApiClient> {
  await created(admin.post(`${RBAC}/clusterroles`, named(name, [WRITE_RBAC, ...rules])));
  await created(admin.post(`${RBAC}/clusterrolebindings`, binding(name, "ClusterRole", name, name)));
  return as(name);
}

async function created(answer: Promise<Answer>): Promise<Answer> {
  const { code, text } = await answer;
  expect([code, text]).toEqual([201, expect.anything()]);
  return answer;
}

beforeAll(async () => {
  server = await startServer({
    flags: { "emulated-release": "1.20", "runtime-config": { [`${GROUP}/v1alpha1`]: "true" } },
  });
  admin = new ApiClient(server, server.admin);
  await created(admin.post(`${LOCAL}/roles`, named("all", [EVERYTHING])));
  await created(admin.post(`${LOCAL}/roles`, named("few", [GET_PODS])));
  await created(admin.post(`${RBAC}/clusterroles`, named("few", [GET_PODS])));
});
afterAll(async () => {
  for (const client of [admin, ...clients]) client.close();
  await server.stop();
});

/** All requests that create or change an object. */
const WAYS: readonly [
  string,
  (client: ApiClient, at: string, object: { metadata: { name: string } }) => Promise<Answer>,
][] = [
  ["create", (client, at, object) => client.post(at, object)],
  ["dry run of a create", (client, at, object) => client.post(`${at}?dryRun=All`, object)],
  ["update of a missing object", (client, at, object) => client.put(`${at}/${object.metadata.name}`, object)],
  ["apply", (client, at, object) => applied(client, at, object)],
  ["dry run of an apply", (client, at, object) => applied(client, at, object, "&dryRun=All")],
  [
    "create in YAML",
    (client, at, object) => client.post(at, JSON.stringify(object), { "content-type": "application/yaml" }),
  ],
  ["create in v1beta1", (client, at, object) => client.post(at.replace("/v1", "/v1beta1"), object)],
  ["create in v1alpha1", (client, at, object) => client.post(at.replace("/v1", "/v1alpha1"), object)],
];

function applied(client: ApiClient, at: string, object: { metadata: { name: string } }, more = ""): Promise<Answer> {
  const kinds: Readonly<Record<string, string>> = {
    roles: "Role",
    clusterroles: "ClusterRole",
    rolebindings: "RoleBinding",
    clusterrolebindings: "ClusterRoleBinding",
  };
  const body = { apiVersion: `${GROUP}/v1`, kind: kinds[at.split("/").at(-1) ?? ""], ...object };
  return client.ask("PATCH", `${at}/${object.metadata.name}?fieldManager=t${more}`, {
    body,
    headers: { "content-type": "application/apply-patch+yaml" },
  });
}

const merged = (client: ApiClient, path: string, body: object) =>
  client.ask("PATCH", path, { body, headers: { "content-type": "application/merge-patch+json" } });

describe.each(WAYS)("escalation by %s", (way, write) => {
  let admins: ApiClient;
  let writer: ApiClient;
  beforeAll(async () => {
    const name = way.replaceAll(/\W/g, "-").toLowerCase();
    await created(admin.post(`${LOCAL}/rolebindings`, binding(name, "ClusterRole", "admin", `admin-${name}`)));
    admins = as(`admin-${name}`);
    writer = await writerWith(name, [GET_PODS]);
  });

  test("the admin of a namespace makes no role of everything there, and binds none", async () => {
    for (const [at, object] of [
      [`${LOCAL}/roles`, named("mine", [EVERYTHING])],
      [`${LOCAL}/rolebindings`, binding("mine", "ClusterRole", "cluster-admin")],
      [`${LOCAL}/rolebindings`, binding("mine-too", "Role", "all")],
    ] as const) {
      const { code, json } = await write(admins, at, object);
      expect([code, json.message]).toEqual([403, expect.stringContaining(MISSING)]);
      expect((await admin.get(`${at}/${object.metadata.name}`)).code).toBe(404);
    }
    expect((await admins.get("/api/v1/namespaces/orch-system/secrets")).code).toBe(403);
  });

  test("a user who may write bindings cannot bind roles with permissions that they do not hold", async () => {
    for (const [at, object] of [
      [`${RBAC}/clusterrolebindings`, binding(`me-${way.length}`, "ClusterRole", "cluster-admin")],
      [`${RBAC}/clusterroles`, named(`mine-${way.length}`, [EVERYTHING, EVERY_PATH])],
      [`${RBAC}/clusterroles`, named(`gathers-${way.length}`, [], selecting)],
    ] as const) {
      const { code } = await write(writer, at, object);
      expect(code).toBe(403);
      expect((await admin.get(`${at}/${object.metadata.name}`)).code).toBe(404);
    }
  });

  test("users can grant permissions that they hold", async () => {
    const name = `given-${way.replaceAll(/\W/g, "-").toLowerCase()}`;
    for (const [at, object] of [
      [`${LOCAL}/roles`, named(name, [GET_PODS])],
      [`${RBAC}/clusterroles`, named(name, [GET_PODS, { ...GET_PODS, resourceNames: ["p1"] }])],
      [`${LOCAL}/rolebindings`, binding(name, "Role", "few")],
      [`${RBAC}/clusterrolebindings`, binding(name, "ClusterRole", "few")],
    ] as const) {
      const { code, text } = await write(writer, at, object);
      expect([code, text]).toEqual([201, expect.anything()]);
    }
  });
});

describe("stored roles", () => {
  let writer: ApiClient;
  beforeAll(async () => {
    writer = await writerWith("changes", [GET_PODS]);
    await created(admin.post(`${LOCAL}/roles`, named("stored", [rule(["secrets"], ["get"])])));
    await created(admin.post(`${LOCAL}/rolebindings`, binding("stored", "ClusterRole", "cluster-admin", "root")));
    await created(admin.post(`${RBAC}/clusterroles`, named("gathers", [], selecting)));
  });

  test.each<[string, string, object]>([
    ["a verb more", `${LOCAL}/roles/few`, { rules: [rule(["pods"], ["get", "list"])] }],
    [
      "another subject",
      `${LOCAL}/rolebindings/stored`,
      { subjects: [{ kind: "User", name: "changes", apiGroup: GROUP }] },
    ],
    ["no subject", `${LOCAL}/rolebindings/stored`, { subjects: null }],
    ["a label, of what is not one's own", `${LOCAL}/roles/stored`, { metadata: { labels: { a: "b" } } }],
    ["a label, of what is gathered", `${RBAC}/clusterroles/gathers`, { metadata: { labels: { a: "b" } } }],
    ["the end of gathering", `${RBAC}/clusterroles/gathers`, { aggregationRule: null }],
    ["the beginning of gathering", `${RBAC}/clusterroles/changes`, selecting],
  ])("is not changed by a patch: %s", async (_what, path, change) => {
    const before = (await admin.get(path)).json.metadata.resourceVersion;
    expect((await merged(writer, path, change)).code).toBe(403);
    expect((await merged(writer, `${path}?dryRun=All`, change)).code).toBe(403);
    const put = { ...(await admin.get(path)).json, ...change };
    if (!("metadata" in change)) expect((await writer.put(path, put)).code).toBe(403);
    expect((await admin.get(path)).json.metadata.resourceVersion).toBe(before);
  });

  test.each<[string, string, object]>([
    ["fewer rules", `${LOCAL}/roles/stored`, { rules: [GET_PODS] }],
    ["a finalizer", `${LOCAL}/rolebindings/stored`, { metadata: { finalizers: ["example.com/wait"] } }],
    ["no finalizer", `${LOCAL}/rolebindings/stored`, { metadata: { finalizers: null } }],
    [
      "owners",
      `${LOCAL}/rolebindings/stored`,
      { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "a", uid: "1" }] } },
    ],
    ["nothing", `${LOCAL}/rolebindings/stored`, {}],
  ])("may be changed for its upkeep, and to less: %s", async (_what, path, change) => {
    expect((await merged(writer, path, change)).code).toBe(200);
  });

  test("may be put as it is, and deleted", async () => {
    const path = `${LOCAL}/rolebindings/stored`;
    expect((await writer.put(path, (await admin.get(path)).json)).code).toBe(200);
    expect((await writer.delete(path)).code).toBe(200);
  });
});

describe("a user who may", () => {
  test("escalate, writes any role, but binds none", async () => {
    const client = await writerWith("escalates", [rule(["roles", "clusterroles"], ["escalate"], [GROUP])]);
    expect((await client.post(`${LOCAL}/roles`, named("e1", [EVERYTHING]))).code).toBe(201);
    expect((await client.post(`${RBAC}/clusterroles`, named("e2", [EVERYTHING], selecting))).code).toBe(201);
    expect((await client.post(`${RBAC}/clusterrolebindings`, binding("e3", "ClusterRole", "cluster-admin"))).code).toBe(
      403,
    );
  });

  test("escalate one role, writes that one when its path names it", async () => {
    const escalate = { ...rule(["roles"], ["escalate"], [GROUP]), resourceNames: ["one", "few"] };
    const client = await writerWith("escalates-one", [escalate]);
    expect((await client.post(`${LOCAL}/roles`, named("one", [EVERYTHING]))).code).toBe(403);
    expect((await client.put(`${LOCAL}/roles/one`, named("one", [EVERYTHING]))).code).toBe(201);
    expect((await client.put(`${LOCAL}/roles/other`, named("other", [EVERYTHING]))).code).toBe(403);
  });

  test("bind a role, binds that one", async () => {
    const bind = { ...rule(["clusterroles", "roles"], ["bind"], [GROUP]), resourceNames: ["cluster-admin", "all"] };
    const client = await writerWith("binds", [bind]);
    expect(
      (await client.post(`${RBAC}/clusterrolebindings`, binding("bi1", "ClusterRole", "cluster-admin"))).code,
    ).toBe(201);
    expect((await client.post(`${LOCAL}/rolebindings`, binding("bi2", "ClusterRole", "cluster-admin"))).code).toBe(201);
    expect((await client.post(`${LOCAL}/rolebindings`, binding("bi3", "Role", "all"))).code).toBe(201);
    expect((await client.post(`${RBAC}/clusterrolebindings`, binding("bi4", "ClusterRole", "edit"))).code).toBe(403);
    expect((await client.post(`${LOCAL}/roles`, named("bi5", [EVERYTHING]))).code).toBe(403);
  });

  test("do everything by a role of his own, does", async () => {
    const client = await writerWith("everything", [EVERYTHING, EVERY_PATH]);
    expect((await client.post(`${RBAC}/clusterroles`, named("a1", [EVERYTHING, EVERY_PATH], selecting))).code).toBe(
      201,
    );
    expect((await client.post(`${RBAC}/clusterrolebindings`, binding("a2", "ClusterRole", "cluster-admin"))).code).toBe(
      201,
    );
  });

  test("do everything with resources, still may not gather", async () => {
    // RBAC permissions only: a user with all permissions may escalate.
    const verbs = ["get", "create", "update"];
    const client = await writerWith("resources", [rule(["*"], verbs, ["*"])]);
    const { code, json } = await client.post(`${RBAC}/clusterroles`, named("a3", [], selecting));
    expect([code, json.message]).toEqual([
      403,
      `clusterroles.${GROUP} "a3" is forbidden: must have cluster-admin privileges to use the aggregationRule`,
    ]);
  });

  test("do everything as a member of the privileged group, does", async () => {
    const root = as("root", ["system:masters"]);
    expect((await root.post(`${RBAC}/clusterrolebindings`, binding("r1", "ClusterRole", "cluster-admin"))).code).toBe(
      201,
    );
  });

  test("do everything by another authorizer, does", async () => {
    const open = await startServer({ flags: { "authorization-mode": ["RBAC", "AlwaysAllow"] } });
    const anybody = new ApiClient(open, open.issueClient({ name: "anybody" }));
    expect((await anybody.post(`${RBAC}/clusterrolebindings`, binding("x", "ClusterRole", "cluster-admin"))).code).toBe(
      201,
    );
    expect((await anybody.post(`${LOCAL}/roles`, named("x", [EVERYTHING]))).code).toBe(201);
    anybody.close();
    await open.stop();
  });
});

describe("the refusal", () => {
  let reader: ApiClient;
  beforeAll(async () => {
    reader = await writerWith("reader", [rule(["pods", "pods/log"], ["get", "list"])]);
  });
  const who = 'user "reader" (groups=["system:authenticated"])';

  test("says what is missing, place by place", async () => {
    const rules = [
      rule(["pods", "secrets"], ["get", "list", "watch"], ["", "apps"]),
      { ...rule(["secrets"], ["get"]), resourceNames: ["s1"] },
      rule(["pods"], ["delete"]),
    ];
    const { code, json } = await reader.post(`${LOCAL}/roles`, named("r1", rules));
    expect(code).toBe(403);
    expect(json).toMatchObject({ reason: "Forbidden", details: { name: "r1", group: GROUP, kind: "roles" } });
    expect(json.message.split("\n")).toEqual([
      `roles.${GROUP} "r1" is forbidden: ${who} ${MISSING}`,
      '{APIGroups:[""], Resources:["pods"], Verbs:["watch" "delete"]}',
      '{APIGroups:[""], Resources:["secrets"], ResourceNames:["s1"], Verbs:["get"]}',
      '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list" "watch"]}',
      '{APIGroups:["apps"], Resources:["pods"], Verbs:["get" "list" "watch"]}',
      '{APIGroups:["apps"], Resources:["secrets"], Verbs:["get" "list" "watch"]}',
    ]);
  });

  test("the refusal lists non-resource paths one by one, and no name for an object without one", async () => {
    const object = {
      metadata: { generateName: "made-" },
      rules: [{ nonResourceURLs: ["/b", "/a"], verbs: ["get", "post"] }],
    };
    expect((await reader.post(`${RBAC}/clusterroles`, object)).json.message.split("\n")).toEqual([
      `clusterroles.${GROUP} is forbidden: ${who} ${MISSING}`,
      ...["/a", "/b"].flatMap((url) =>
        ["get", "post"].map((verb) => `{NonResourceURLs:["${url}"], Verbs:["${verb}"]}`),
      ),
    ]);
  });

  test("comes before what else is wrong with the object", async () => {
    const invalid = named("r2", [rule(["nodes"], ["get"]), rule([], ["get"])]);
    expect((await reader.post(`${LOCAL}/roles`, invalid)).code).toBe(403);
    expect((await reader.post(`${LOCAL}/roles`, named("r2", [rule([], ["get"])]))).code).toBe(422);
    for (const broken of [
      {},
      { verbs: null },
      { resources: ["nodes"] },
      { apiGroups: null, resources: null, verbs: ["get"] },
    ]) {
      expect((await reader.post(`${LOCAL}/roles`, named("r2", [broken as Rule]))).code).toBe(422);
    }
    for (const none of [null, [], {}]) {
      const { code } = await reader.post(`${RBAC}/clusterroles`, {
        metadata: { name: "r2" },
        rules: none,
        aggregationRule: none,
      });
      expect([201, 400, 422]).toContain(code);
    }
  });

  test("the refusal names a missing role, and a reference without a kind is invalid", async () => {
    const missing = await reader.post(`${LOCAL}/rolebindings`, binding("b1", "Role", "nothing"));
    expect([missing.code, missing.json.message]).toEqual([404, `roles.${GROUP} "nothing" not found`]);
    expect((await reader.post(`${LOCAL}/rolebindings`, binding("b1", "Rule", "few"))).code).toBe(422);
    expect((await reader.post(`${LOCAL}/rolebindings`, binding("b1", "Role", ""))).code).toBe(422);
  });

  test("tells which of the user's roles could not be read", async () => {
    await created(admin.post(`${RBAC}/clusterrolebindings`, binding("lost", "ClusterRole", "gone", "reader")));
    const { json } = await reader.post(`${LOCAL}/roles`, named("r3", [rule(["nodes"], ["get"])]));
    expect(json.message).toMatch(
      new RegExp(
        `\\{APIGroups:\\[""\\], Resources:\\["nodes"\\], Verbs:\\["get"\\]\\}; resolution errors: \\[clusterroles\\.${GROUP} "gone" not found\\]$`,
      ),
    );
  });
});

test("a role that has just been made at another replica may be bound at once", async () => {
  const store = await openStore({ kind: "memory" });
  const replicas = await Promise.all([startServer({ store }), startServer({ store })]);
  const [one, other] = replicas.map((each) => new ApiClient(each, each.admin)) as [ApiClient, ApiClient];
  await created(one.post(`${RBAC}/clusterroles`, named("quick", [WRITE_RBAC, GET_PODS])));
  await created(one.post(`${RBAC}/clusterrolebindings`, binding("quick", "ClusterRole", "quick", "quick")));
  const writer = new ApiClient(replicas[1], replicas[1].issueClient({ name: "quick" }));
  while ((await writer.get(`${LOCAL}/roles`)).code !== 200) await nextTurn();
  for (let at = 0; at < 20; at += 1) {
    await created(one.post(`${LOCAL}/roles`, named(`quick-${at}`, [GET_PODS])));
    await created(writer.post(`${LOCAL}/rolebindings`, binding(`quick-${at}`, "Role", `quick-${at}`)));
  }
  for (const client of [one, other, writer]) client.close();
  await Promise.all(replicas.map((each) => each.stop()));
  await store.close();
});
