import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient, CONFIG_MAPS } from "../testing/api-client";

const folder = mkdtempSync(join(tmpdir(), "reviews-"));
const tokens = join(folder, "tokens.csv");
const RBAC = "/apis/rbac.authorization.orch.io/v1";
const AUTHORIZATION = "/apis/authorization.orch.io/v1";
const TOKEN_REVIEWS = "/apis/authentication.orch.io/v1/tokenreviews";
const SELF_ACCESS = `${AUTHORIZATION}/selfsubjectaccessreviews`;
const ACCESS = `${AUTHORIZATION}/subjectaccessreviews`;
const LOCAL_ACCESS = `${AUTHORIZATION}/namespaces/default/localsubjectaccessreviews`;
const SELF_RULES = `${AUTHORIZATION}/selfsubjectrulesreviews`;

const listConfigMaps = { namespace: "default", verb: "list", resource: "configmaps" };
const listNodes = { verb: "list", resource: "nodes" };
const GRANT = 'RoleBinding "jane-reads/default" of Role "reader" to User "jane"';
const RULE = '{APIGroups:[""], Resources:["configmaps"], Verbs:["get" "list"]}';
const ALLOWED = `RBAC: allowed by ${GRANT}, by the rule ${RULE}`;

let server: RunningServer;
let admin: ApiClient;
let jane: ApiClient;

beforeAll(async () => {
  writeFileSync(tokens, 'jane-token,jane,7,"developers"\n');
  server = await startServer({ flags: { "token-auth-file": tokens } });
  admin = new ApiClient(server, server.admin);
  jane = new ApiClient(server, server.issueClient({ name: "jane" }));
  const role = {
    metadata: { name: "reader" },
    rules: [{ verbs: ["get", "list"], apiGroups: [""], resources: ["configmaps"] }],
  };
  const group = "rbac.authorization.orch.io";
  const bind = (name: string, roleName: string) => ({
    metadata: { name },
    subjects: [{ kind: "User", name: "jane", apiGroup: group }],
    roleRef: { kind: "Role", name: roleName, apiGroup: group },
  });
  const inDefault = `${RBAC}/namespaces/default`;
  expect((await admin.post(`${inDefault}/roles`, role)).code).toBe(201);
  expect((await admin.post(`${inDefault}/rolebindings`, bind("jane-reads", "reader"))).code).toBe(201);
  expect((await admin.post(`${inDefault}/rolebindings`, bind("jane-lost", "gone"))).code).toBe(201);
  expect((await jane.get(CONFIG_MAPS)).code).toBe(200);
});
afterAll(async () => {
  admin.close();
  jane.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

describe("SelfSubjectAccessReview", () => {
  test("tells those who ask whether they may, and why", async () => {
    const { code, json } = await jane.post(SELF_ACCESS, { spec: { resourceAttributes: listConfigMaps } });
    expect(code).toBe(201);
    expect(json).toEqual({
      apiVersion: "authorization.orch.io/v1",
      kind: "SelfSubjectAccessReview",
      metadata: {},
      spec: { resourceAttributes: listConfigMaps },
      status: { allowed: true, reason: ALLOWED },
    });
  });

  test("tells those who may not, and is no refusal itself", async () => {
    const answer = await jane.post(SELF_ACCESS, { spec: { resourceAttributes: listNodes } });
    expect(answer.code).toBe(201);
    expect(answer.json.status).toEqual({ allowed: false });
    const lost = { ...listConfigMaps, verb: "delete" };
    expect((await jane.post(SELF_ACCESS, { spec: { resourceAttributes: lost } })).json.status).toEqual({
      allowed: false,
      reason: `RBAC: role.rbac.authorization.orch.io "gone" not found; nearest grants: ${GRANT} has ${RULE}`,
    });
  });

  test("is told of his own grants elsewhere, and the refusal itself says nothing of them", async () => {
    const elsewhere = { ...listConfigMaps, namespace: "orch-system" };
    expect((await jane.post(SELF_ACCESS, { spec: { resourceAttributes: elsewhere } })).json.status).toEqual({
      allowed: false,
      reason: `nearest grants: ${GRANT} allows it in the namespace "default"`,
    });
    const { json } = await jane.get("/api/v1/namespaces/orch-system/configmaps");
    expect(json.message).toBe(
      'configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" in the namespace "orch-system"',
    );
  });

  test("answers for paths", async () => {
    const asked = async (path: string) =>
      (await jane.post(SELF_ACCESS, { spec: { nonResourceAttributes: { verb: "get", path } } })).json.status;
    expect(await asked("/healthz")).toMatchObject({ allowed: true });
    expect(await asked("/metrics")).toEqual({ allowed: false });
  });

  test.each([
    ["no question", { spec: {} }, "spec.resourceAttributes"],
    ["no spec", {}, "spec.resourceAttributes"],
    [
      "two questions",
      { spec: { resourceAttributes: listNodes, nonResourceAttributes: { path: "/" } } },
      "spec.nonResourceAttributes",
    ],
    ["a name", { metadata: { name: "x" }, spec: { resourceAttributes: listNodes } }, "metadata"],
  ])("%s is a broken rule at a field", async (_title, body, field) => {
    const { code, json } = await jane.post(SELF_ACCESS, body);
    expect(code).toBe(422);
    expect(json).toMatchObject({
      reason: "Invalid",
      details: {
        group: "authorization.orch.io",
        kind: "SelfSubjectAccessReview",
        causes: [{ reason: "FieldValueInvalid", field }],
      },
    });
  });

  test("a review of another kind or version is rejected", async () => {
    const spec = { resourceAttributes: listNodes };
    expect((await jane.post(SELF_ACCESS, { kind: "SubjectAccessReview", spec })).code).toBe(400);
    expect((await jane.post(SELF_ACCESS, { apiVersion: "authorization.orch.io/v2", spec })).code).toBe(400);
  });

  test("is read strictly where the client wants that, and may be a rehearsal", async () => {
    const spec = { resourceAttributes: { ...listNodes, nonsense: true } };
    expect((await jane.post(`${SELF_ACCESS}?fieldValidation=Strict`, { spec })).code).toBe(400);
    expect((await jane.post(`${SELF_ACCESS}?dryRun=All`, { spec })).json.status).toEqual({ allowed: false });
    expect((await jane.post(`${SELF_ACCESS}?dryRun=Some`, { spec })).code).toBe(422);
    expect((await jane.post(SELF_ACCESS, { spec: "nodes" })).code).toBe(400);
  });

  test("can be asked and nothing else", async () => {
    expect((await admin.get(SELF_ACCESS)).code).toBe(405);
    expect((await admin.get(`${SELF_ACCESS}/x`)).code).toBe(405);
    expect((await admin.delete(SELF_ACCESS)).code).toBe(405);
  });
});

describe("SubjectAccessReview", () => {
  const about = (spec: object) => admin.post(ACCESS, { spec });

  test("a SubjectAccessReview checks another user, by name or by groups", async () => {
    expect((await about({ user: "jane", resourceAttributes: listConfigMaps })).json.status).toEqual({
      allowed: true,
      reason: ALLOWED,
    });
    expect((await about({ user: "john", resourceAttributes: listConfigMaps })).json.status).toEqual({ allowed: false });
    const masters = { groups: ["system:masters"], resourceAttributes: listNodes };
    expect((await about(masters)).json.status).toEqual({ allowed: true });
  });

  test("a SubjectAccessReview requires a user or a group", async () => {
    const { code, json } = await about({ resourceAttributes: listNodes });
    expect(code).toBe(422);
    expect(json.details).toMatchObject({ causes: [{ field: "spec.user" }] });
  });

  test("is for those who may ask", async () =>
    expect((await jane.post(ACCESS, { spec: { user: "john", resourceAttributes: listNodes } })).code).toBe(403));
});

test("a release whose authorizers do not receive selectors drops them from reviews", async () => {
  const resourceAttributes = {
    ...listConfigMaps,
    fieldSelector: { requirements: [{ key: "metadata.name", operator: "In", values: ["a"] }] },
    labelSelector: { rawSelector: "a=b" },
  };
  const { code, json } = await jane.post(SELF_ACCESS, { spec: { resourceAttributes } });
  expect([code, json.spec, json.status]).toEqual([
    201,
    { resourceAttributes: listConfigMaps },
    { allowed: true, reason: ALLOWED },
  ]);
});

test("in the older version groups are called group, and the rest is the same", async () => {
  const older = await startServer({ flags: { "emulated-release": "1.20" } });
  const root = new ApiClient(older, older.admin);
  const spec = {
    user: "john",
    group: ["system:masters"],
    uid: "7",
    extra: { scopes: ["all"] },
    resourceAttributes: listNodes,
  };
  for (const resource of ["subjectaccessreviews", "namespaces/default/localsubjectaccessreviews"]) {
    const asked = resource.startsWith("namespaces")
      ? { ...spec, resourceAttributes: { ...listNodes, namespace: "default" } }
      : spec;
    const { code, json } = await root.post(`/apis/authorization.orch.io/v1beta1/${resource}`, { spec: asked });
    expect([code, json.spec, json.status]).toEqual([201, asked, { allowed: true }]);
    const others = { ...asked, group: ["others"] };
    const refused = await root.post(`/apis/authorization.orch.io/v1beta1/${resource}`, { spec: others });
    expect([refused.code, refused.json.status]).toEqual([201, { allowed: false }]);
    const misread = { ...asked, group: undefined, groups: ["system:masters"] };
    const { json: status } = await root.post(`/apis/authorization.orch.io/v1beta1/${resource}`, { spec: misread });
    expect(status.status).toEqual({ allowed: false });
  }
  root.close();
  await older.stop();
});

describe("LocalSubjectAccessReview", () => {
  const about = (resourceAttributes: object, metadata?: object) =>
    admin.post(LOCAL_ACCESS, { metadata, spec: { user: "jane", resourceAttributes } });

  test("a LocalSubjectAccessReview checks a user in one namespace", async () => {
    const { code, json } = await about(listConfigMaps);
    expect(code).toBe(201);
    expect(json).toMatchObject({ metadata: { namespace: "default" }, status: { allowed: true, reason: ALLOWED } });
    expect((await about({ ...listConfigMaps, verb: "create" })).json.status).toMatchObject({ allowed: false });
  });

  test("asks about its own namespace", async () => {
    const { code, json } = await about({ ...listConfigMaps, namespace: "elsewhere" });
    expect(code).toBe(422);
    expect(json.details).toMatchObject({ causes: [{ field: "spec.resourceAttributes.namespace" }] });
    const moved = await about({ ...listConfigMaps, namespace: "elsewhere" }, { namespace: "elsewhere" });
    expect([moved.code, moved.json.message]).toEqual([
      400,
      "the namespace of the provided object does not match the namespace sent on the request",
    ]);
  });

  test("does not ask about paths, and has no name", async () => {
    const spec = { user: "jane", nonResourceAttributes: { path: "/", verb: "get" } };
    const { code, json } = await admin.post(LOCAL_ACCESS, { metadata: { name: "x" }, spec });
    expect(code).toBe(422);
    expect(json.details).toMatchObject({
      causes: [{ field: "metadata" }, { field: "spec.nonResourceAttributes" }],
    });
  });

  test("lies in a namespace", async () => {
    const spec = { user: "jane", resourceAttributes: listConfigMaps };
    expect((await admin.post(`${AUTHORIZATION}/localsubjectaccessreviews`, { spec })).code).toBe(405);
  });
});

describe("SelfSubjectRulesReview", () => {
  test("lists what the asking user may do in a namespace, and what could not be found out", async () => {
    const { code, json } = await jane.post(SELF_RULES, { spec: { namespace: "default" } });
    expect(code).toBe(201);
    expect(json.status).toEqual({
      resourceRules: expect.arrayContaining([
        { verbs: ["get", "list"], apiGroups: [""], resources: ["configmaps"] },
        {
          verbs: ["create"],
          apiGroups: ["authorization.orch.io"],
          resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
        },
      ]),
      nonResourceRules: expect.arrayContaining([
        { verbs: ["get"], nonResourceURLs: expect.arrayContaining(["/healthz", "/version"]) },
      ]),
      incomplete: false,
      evaluationError: 'role.rbac.authorization.orch.io "gone" not found',
    });
    const elsewhere = await jane.post(SELF_RULES, { spec: { namespace: "elsewhere" } });
    expect(elsewhere.text).not.toContain("configmaps");
  });

  test("lists everything for those who may do everything", async () =>
    expect((await admin.post(SELF_RULES, { spec: { namespace: "default" } })).json.status).toEqual({
      resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
      nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
      incomplete: false,
    }));

  test("needs a namespace", async () => {
    const { code, json } = await jane.post(SELF_RULES, { spec: {} });
    expect([code, json.message]).toEqual([400, "no namespace on request"]);
  });
});

describe("TokenReview", () => {
  test("tells whose token it is", async () => {
    const { code, json } = await admin.post(TOKEN_REVIEWS, { spec: { token: "jane-token" } });
    expect(code).toBe(201);
    expect(json.status).toEqual({
      authenticated: true,
      user: { username: "jane", uid: "7", groups: ["developers", "system:authenticated"] },
      audiences: ["https://orch.default.svc"],
    });
  });

  test("tells for whom of those that are asked for it is good", async () => {
    const spec = { token: "jane-token", audiences: ["vault", "https://orch.default.svc"] };
    const { json } = await admin.post(TOKEN_REVIEWS, { spec });
    expect(json).toMatchObject({ spec, status: { authenticated: true, audiences: ["https://orch.default.svc"] } });
  });

  test.each([
    ["nobody has", { token: "guess" }],
    ["is for somebody else to read", { token: "jane-token", audiences: ["vault"] }],
  ])("tells that a token which %s is none", async (_title, spec) => {
    const { code, json } = await admin.post(TOKEN_REVIEWS, { spec });
    expect(code).toBe(201);
    expect(json.status).toEqual({ user: {}, error: expect.stringMatching(/./) });
  });

  test("needs a token", async () => {
    const { code, json } = await admin.post(TOKEN_REVIEWS, { spec: {} });
    expect([code, json.message]).toEqual([400, "token is required for TokenReview in authentication"]);
  });

  test("is answered in the version that was asked", async () => {
    const older = await startServer({ flags: { "emulated-release": "1.21", "token-auth-file": tokens } });
    const asking = new ApiClient(older, older.admin);
    const { code, json } = await asking.post(TOKEN_REVIEWS.replace("/v1/", "/v1beta1/"), {
      spec: { token: "jane-token" },
    });
    expect([code, json]).toMatchObject([
      201,
      { apiVersion: "authentication.orch.io/v1beta1", status: { authenticated: true, user: { username: "jane" } } },
    ]);
    asking.close();
    await older.stop();
  });

  test("is for those who may ask", async () =>
    expect((await jane.post(TOKEN_REVIEWS, { spec: { token: "jane-token" } })).code).toBe(403));
});

test("discovery lists them with the one thing that can be done", async () => {
  const { json } = await jane.get(AUTHORIZATION);
  expect(json.resources).toEqual(
    [
      { name: "localsubjectaccessreviews", kind: "LocalSubjectAccessReview", namespaced: true },
      { name: "selfsubjectaccessreviews", kind: "SelfSubjectAccessReview", namespaced: false },
      { name: "selfsubjectrulesreviews", kind: "SelfSubjectRulesReview", namespaced: false },
      { name: "subjectaccessreviews", kind: "SubjectAccessReview", namespaced: false },
    ].map((each) => ({ ...each, singularName: "", verbs: ["create"] })),
  );
});

test("reviews, which are not stored, pass the admission chain like other creations", async () => {
  const question = { spec: { resourceAttributes: { verb: "get", resource: "pods" } } };
  const judged = await Promise.all(
    [0, 3].map(async (questions) => {
      const fresh = await startServer();
      const root = new ApiClient(fresh, fresh.admin);
      for (let at = 0; at < questions; at += 1) expect((await root.post(SELF_ACCESS, question)).code).toBe(201);
      const { text } = await root.get("/metrics");
      root.close();
      await fresh.stop();
      const count = "apiserver_admission_step_admission_duration_seconds_count";
      const line = text.split("\n").find((each) => each.startsWith(`${count}{type="validate",operation="CREATE"`));
      return Number(line?.split(" ").at(-1));
    }),
  );
  expect((judged[1] ?? 0) - (judged[0] ?? 0)).toBe(3);
});
