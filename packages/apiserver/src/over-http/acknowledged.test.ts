// A write that a replica has acknowledged is in force for the next request, however late the store's watch delivers it.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openStore, type Store, type WatchBatch } from "@orch/store";
import { type RunningServer, startServer } from "../server/start-server";
import { type Answer, ApiClient } from "../testing/api-client";
import { DEFINITIONS, definition, WIDGETS, widget } from "../testing/custom-definitions";

const MERGE = { "content-type": "application/merge-patch+json" };
const MAPS = "/api/v1/namespaces/default/configmaps";
const RBAC = "/apis/rbac.authorization.orch.io/v1";
const ADMISSION = "/apis/admissionregistration.orch.io/v1";
const FLOWS = "/apis/flowcontrol.apiserver.orch.io/v1beta2/flowschemas";

/** A store whose watches deliver each change late and in order. */
async function lateStore(ms: number): Promise<Store> {
  const store = await openStore({ kind: "memory" });
  const { watch } = store;
  return Object.assign(Object.create(store), {
    watch: (request: Parameters<Store["watch"]>[0], handlers: Parameters<Store["watch"]>[1]) =>
      watch.call(store, request, {
        ...handlers,
        batch: (batch: WatchBatch) => void setTimeout(() => handlers.batch(batch), ms),
      }),
  }) as Store;
}

let store: Store;
let server: RunningServer;
let admin: ApiClient;
const clients: ApiClient[] = [];

beforeAll(async () => {
  store = await lateStore(60);
  server = await startServer({ store, flags: { "emulated-release": "1.23" } });
  admin = as("admin-of-test", "system:masters");
  const subjects = ["flowers", "waiters"].map((name) => ({
    apiGroup: "rbac.authorization.orch.io",
    kind: "Group",
    name,
  }));
  const roleRef = { apiGroup: "rbac.authorization.orch.io", kind: "ClusterRole", name: "view" };
  await has(`${RBAC}/clusterrolebindings`, { metadata: { name: "viewers" }, roleRef, subjects });
});
afterAll(async () => {
  for (const client of clients) client.close();
  await server.stop();
  await store.close();
});

function as(name: string, ...groups: readonly string[]): ApiClient {
  const client = new ApiClient(server, server.issueClient({ name, groups }));
  clients.push(client);
  return client;
}

async function done(answer: Promise<Answer>): Promise<Answer> {
  const { code, text } = await answer;
  expect([code, code < 300 ? "" : text]).toEqual([code < 300 ? code : 200, ""]);
  return answer;
}

const has = (path: string, body: object) => done(admin.post(path, body));
const gone = (path: string) => done(admin.delete(path));
const merge = (path: string, body: object) => done(admin.ask("PATCH", path, { body, headers: MERGE }));
const map = (name: string) => ({ metadata: { name } });

test("a flow schema, when it comes, changes and goes", async () => {
  const user = as("flowing", "flowers");
  const flowOf = async () => (await user.get(MAPS)).headers["x-orch-pf-flowschema-uid"];
  const spec = {
    matchingPrecedence: 50,
    priorityLevelConfiguration: { name: "workload-low" },
    rules: [
      {
        subjects: [{ kind: "Group", group: { name: "flowers" } }],
        resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"] }],
      },
    ],
  };
  const { uid } = (await has(FLOWS, { metadata: { name: "flowers" }, spec })).json.metadata;
  expect(await flowOf()).toBe(uid);
  await merge(`${FLOWS}/flowers`, { spec: { rules: [] } });
  expect(await flowOf()).not.toBe(uid);
  await merge(`${FLOWS}/flowers`, { spec });
  expect(await flowOf()).toBe(uid);
  await gone(`${FLOWS}/flowers`);
  expect(await flowOf()).not.toBe(uid);
});

test("a priority level that a flow schema has waited for", async () => {
  const user = as("waiting", "waiters");
  const levels = FLOWS.replace("flowschemas", "prioritylevelconfigurations");
  const subjects = [{ kind: "Group", group: { name: "waiters" } }];
  const resourceRules = [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"] }];
  const rules = [{ subjects, resourceRules }];
  await has(FLOWS, {
    metadata: { name: "waiters" },
    spec: { matchingPrecedence: 60, priorityLevelConfiguration: { name: "awaited" }, rules },
  });
  const limited = { assuredConcurrencyShares: 1, limitResponse: { type: "Reject" } };
  const { uid } = (await has(levels, { metadata: { name: "awaited" }, spec: { type: "Limited", limited } })).json
    .metadata;
  expect((await user.get(MAPS)).headers["x-orch-pf-prioritylevel-uid"]).toBe(uid);
  await done(admin.delete(FLOWS));
});

test("roles and bindings", async () => {
  const user = as("bound");
  await has(`${RBAC}/clusterroles`, {
    ...map("reader"),
    rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list"] }],
  });
  const roleRef = { apiGroup: "rbac.authorization.orch.io", kind: "ClusterRole", name: "reader" };
  const subjects = [{ apiGroup: "rbac.authorization.orch.io", kind: "User", name: "bound" }];
  await has(`${RBAC}/clusterrolebindings`, { ...map("reads"), roleRef, subjects });
  expect((await user.get(MAPS)).code).toBe(200);
  await merge(`${RBAC}/clusterroles/reader`, { rules: [] });
  expect((await user.get(MAPS)).code).toBe(403);
  await merge(`${RBAC}/clusterroles/reader`, {
    rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list"] }],
  });
  expect((await user.get(MAPS)).code).toBe(200);
  await gone(`${RBAC}/clusterrolebindings/reads`);
  expect((await user.get(MAPS)).code).toBe(403);
});

test("a quota", async () => {
  const quotas = "/api/v1/namespaces/default/resourcequotas";
  await has(quotas, { ...map("none"), spec: { hard: { "count/configmaps": "0" } } });
  const status = { hard: { "count/configmaps": "0" }, used: { "count/configmaps": "0" } };
  await merge(`${quotas}/none/status`, { status });
  expect((await admin.post(MAPS, map("over-quota"))).code).toBe(403);
  await gone(`${quotas}/none`);
  expect((await admin.post(MAPS, map("over-quota"))).code).toBe(201);
});

test("a limit range", async () => {
  const ranges = "/api/v1/namespaces/default/limitranges";
  const pods = "/api/v1/namespaces/default/pods";
  const pod = {
    ...map("large"),
    spec: { containers: [{ name: "c", image: "i", resources: { limits: { cpu: "2" } } }] },
  };
  await has(ranges, { ...map("small"), spec: { limits: [{ type: "Container", max: { cpu: "1" } }] } });
  expect((await admin.post(pods, pod)).code).toBe(403);
  await gone(`${ranges}/small`);
  expect((await admin.post(pods, pod)).code).toBe(201);
});

const RULES = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }];

test("an admission policy and its binding", async () => {
  const policies = `${ADMISSION}/validatingadmissionpolicies`;
  const spec = {
    matchConstraints: { resourceRules: RULES },
    validations: [{ expression: "object.metadata.name != 'refused'" }],
  };
  await has(policies, { ...map("refusing"), spec });
  await has(`${ADMISSION}/validatingadmissionpolicybindings`, {
    ...map("refusing"),
    spec: { policyName: "refusing", validationActions: ["Deny"] },
  });
  expect((await admin.post(MAPS, map("refused"))).code).toBe(422);
  await gone(`${policies}/refusing`);
  expect((await admin.post(MAPS, map("refused"))).code).toBe(201);
});

test("a parameter of a policy", async () => {
  const spec = {
    matchConstraints: { resourceRules: RULES },
    paramKind: { apiVersion: "v1", kind: "ConfigMap" },
    validations: [{ expression: "object.metadata.name != params.data.refused" }],
  };
  const parameter = `${MAPS}/parameter`;
  await has(MAPS, { ...map("parameter"), data: { refused: "none" } });
  await has(`${ADMISSION}/validatingadmissionpolicies`, { ...map("led"), spec });
  await has(`${ADMISSION}/validatingadmissionpolicybindings`, {
    ...map("led"),
    spec: {
      policyName: "led",
      validationActions: ["Deny"],
      paramRef: { name: "parameter", namespace: "default", parameterNotFoundAction: "Deny" },
    },
  });
  await has(MAPS, map("allowed"));
  await merge(parameter, { data: { refused: "now-refused" } });
  expect((await admin.post(MAPS, map("now-refused"))).code).toBe(422);
  await gone(`${ADMISSION}/validatingadmissionpolicybindings/led`);
  expect((await admin.post(MAPS, map("now-refused"))).code).toBe(201);
});

const webhook = (name: string, selection: object) => ({
  ...map(name),
  webhooks: [
    {
      name: `${name}.example.com`,
      clientConfig: { url: "https://127.0.0.1:1/" },
      rules: RULES,
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      timeoutSeconds: 1,
      ...selection,
    },
  ],
});

test("webhooks, and the labels of the namespaces that they select", async () => {
  const hooks = `${ADMISSION}/validatingwebhookconfigurations`;
  await has("/api/v1/namespaces", map("selected"));
  const maps = MAPS.replace("default", "selected");
  await has(hooks, webhook("away", { namespaceSelector: { matchLabels: { hooked: "yes" } } }));
  expect((await admin.post(maps, map("one"))).code).toBe(201);
  await merge("/api/v1/namespaces/selected", { metadata: { labels: { hooked: "yes" } } });
  expect((await admin.post(maps, map("two"))).code).toBe(500);
  await gone(`${hooks}/away`);
  expect((await admin.post(maps, map("two"))).code).toBe(201);
});

test("a namespace, when it comes and when it ends", async () => {
  await has("/api/v1/namespaces", map("short"));
  const maps = MAPS.replace("default", "short");
  expect((await admin.post(maps, map("one"))).code).toBe(201);
  await gone("/api/v1/namespaces/short");
  expect((await admin.post(maps, map("two"))).code).toBe(403);
});

test("a definition, when it comes, changes and goes", async () => {
  const made = definition();
  const { name } = (await has(DEFINITIONS, made)).json.metadata;
  expect((await admin.post(WIDGETS, widget("first"))).code).toBe(201);
  const spec = structuredClone((await admin.get(`${DEFINITIONS}/${name}`)).json.spec) as never as {
    versions: { schema: object }[];
  };
  for (const version of spec.versions)
    version.schema = {
      openAPIV3Schema: { type: "object", required: ["more"], properties: { more: { type: "string" } } },
    };
  await merge(`${DEFINITIONS}/${name}`, { spec });
  expect((await admin.post(WIDGETS, widget("second"))).code).toBe(422);
  await gone(`${DEFINITIONS}/${name}`);
  expect((await admin.post(WIDGETS, { ...widget("third"), more: "" })).code).not.toBe(201);
});

test("a registration of another server's API", async () => {
  const services = "/apis/apiregistration.orch.io/v1/apiservices";
  await has(services, {
    ...map("v1.elsewhere.example.com"),
    spec: {
      group: "elsewhere.example.com",
      version: "v1",
      service: { namespace: "default", name: "nobody" },
      groupPriorityMinimum: 100,
      versionPriority: 10,
      insecureSkipTLSVerify: true,
    },
  });
  const path = "/apis/elsewhere.example.com/v1/things";
  expect((await admin.get(path)).code).toBe(503);
  await gone(`${services}/v1.elsewhere.example.com`);
  expect((await admin.get(path)).code).toBe(404);
});
