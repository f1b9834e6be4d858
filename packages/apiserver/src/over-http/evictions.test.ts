import { beforeEach, describe, expect, test } from "@jest/globals";
import type { RunningServer } from "../server/start-server";
import { ApiClient, type Loose } from "../testing/api-client";
import { useServer } from "../testing/use-server";

const NAMESPACE = "/namespaces/default";
const PODS = `/api/v1${NAMESPACE}/pods`;
const BUDGETS = `/apis/policy/v1${NAMESPACE}/poddisruptionbudgets`;

let server: RunningServer;
let admin: ApiClient;

useServer((running) => ({ server, admin } = running));
beforeEach(async () => {
  await admin.ask("DELETE", `${PODS}?gracePeriodSeconds=0`);
  await admin.ask("DELETE", BUDGETS);
});

interface PodState {
  readonly phase?: string;
  readonly ready?: boolean;
  readonly labels?: object;
}

async function pod(name: string, { phase = "Running", ready = true, labels = { app: "a" } }: PodState = {}) {
  const spec = { containers: [{ name: "c", image: "i" }], nodeName: "n", terminationGracePeriodSeconds: 0 };
  expect((await admin.post(PODS, { metadata: { name, labels }, spec })).code).toBe(201);
  const conditions = [{ type: "Ready", status: ready ? "True" : "False" }];
  const changed = await merge(`${PODS}/${name}/status`, { status: { phase, conditions } });
  return changed.json.metadata;
}

interface BudgetStatus {
  readonly observedGeneration?: number;
  readonly disruptionsAllowed?: number;
  readonly currentHealthy?: number;
  readonly desiredHealthy?: number;
}

async function budget(name: string, status: BudgetStatus = {}, selector: object = { matchLabels: { app: "a" } }) {
  await admin.post(BUDGETS, { metadata: { name }, spec: { minAvailable: 1, selector } });
  const full = {
    observedGeneration: 1,
    disruptionsAllowed: 1,
    currentHealthy: 2,
    desiredHealthy: 1,
    expectedPods: 2,
    ...status,
  };
  expect((await merge(`${BUDGETS}/${name}/status`, { status: full })).code).toBe(200);
}

const merge = (path: string, body: object) =>
  admin.ask("PATCH", path, { body, headers: { "content-type": "application/merge-patch+json" } });
const evict = (name: string, options: { more?: object; query?: string; apiVersion?: string } = {}) =>
  admin.post(`${PODS}/${name}/eviction${options.query ?? ""}`, {
    apiVersion: options.apiVersion ?? "policy/v1",
    kind: "Eviction",
    metadata: { name },
    ...options.more,
  });
const exists = async (name: string) => (await admin.get(`${PODS}/${name}`)).code === 200;
const statusOf = async (name: string) =>
  (await admin.get(`${BUDGETS}/${name}`)).json.status as unknown as Loose & object;

test("no budget: the pod goes, and the answer is a Success", async () => {
  await pod("free");
  const { code, json } = await evict("free");
  expect([code, json]).toMatchObject([201, { kind: "Status", status: "Success", code: 201 }]);
  expect(await exists("free")).toBe(false);
});

test.each([{ uid: "other" }, { resourceVersion: "1" }])(
  "an eviction rejected by the precondition %j does not use the budget",
  async (preconditions) => {
    await budget("calm");
    await pod("wanted");
    const { code } = await evict("wanted", { more: { deleteOptions: { preconditions } } });
    expect([code, await exists("wanted")]).toEqual([409, true]);
    expect(await statusOf("calm")).toMatchObject({ disruptionsAllowed: 1 });
  },
);

test.each(["policy/v1", "policy/v1beta1"])("%s is taken", async (apiVersion) => {
  await pod("versioned");
  expect((await evict("versioned", { apiVersion })).code).toBe(201);
});

test("a budget counts each eviction, and refuses the one too many", async () => {
  await budget("web");
  await pod("web-0");
  await pod("web-1");
  expect((await evict("web-0")).code).toBe(201);
  expect(await statusOf("web")).toMatchObject({
    disruptionsAllowed: 0,
    disruptedPods: { "web-0": expect.stringMatching(/Z$/) },
  });
  const refused = await evict("web-1");
  expect([refused.code, refused.headers["retry-after"], refused.json]).toMatchObject([
    429,
    undefined,
    {
      reason: "TooManyRequests",
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      details: {
        causes: [
          {
            reason: "DisruptionBudget",
            message: "The disruption budget web needs 1 healthy pods and has 2 currently",
          },
        ],
      },
    },
  ]);
  expect(await exists("web-1")).toBe(true);
});

test.each<[string, object, string]>([
  ["in the query", {}, "?dryRun=All"],
  ["in the body", { deleteOptions: { dryRun: ["All"] } }, ""],
])("a dry run asked for %s changes nothing", async (_where, more, query) => {
  await budget("web");
  await pod("web-0");
  expect((await evict("web-0", { more, query })).code).toBe(201);
  expect(await exists("web-0")).toBe(true);
  expect(await statusOf("web")).toMatchObject({ disruptionsAllowed: 1 });
});

test("a dry run is refused as the eviction would be", async () => {
  await budget("web", { disruptionsAllowed: 0 });
  await pod("web-0");
  expect((await evict("web-0", { query: "?dryRun=All" })).code).toBe(429);
});

test("several budgets are none that an eviction can count on", async () => {
  await budget("one");
  await budget("two", {}, {});
  await pod("web-0");
  const { code, json } = await evict("web-0");
  expect([code, json]).toMatchObject([
    500,
    {
      status: "Failure",
      message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
      code: 500,
    },
  ]);
  expect(await exists("web-0")).toBe(true);
});

describe("a budget that allows nothing", () => {
  test.each<[string, PodState, BudgetStatus, number]>([
    ["holds a ready pod", {}, {}, 429],
    ["lets a pending pod go", { phase: "Pending" }, {}, 201],
    ["lets a pod that has ended go", { phase: "Succeeded" }, {}, 201],
    ["lets a pod that failed go", { phase: "Failed" }, {}, 201],
    ["lets a pod without labels go", { labels: {} }, {}, 201],
    ["lets a pod of other labels go", { labels: { app: "b" } }, {}, 201],
    ["lets an unready pod go while enough are healthy", { ready: false }, {}, 201],
    ["holds an unready pod while too few are healthy", { ready: false }, { currentHealthy: 0 }, 429],
    ["holds an unready pod where none need be healthy", { ready: false }, { desiredHealthy: 0 }, 429],
    ["refuses to say while its status is behind", {}, { observedGeneration: 0, disruptionsAllowed: 3 }, 429],
  ])("%s", async (_what, state, status, code) => {
    await budget("web", { disruptionsAllowed: 0, ...status });
    await pod("web-0", state);
    expect((await evict("web-0")).code).toBe(code);
    expect(await exists("web-0")).toBe(code !== 201);
  });
});

test("the eviction's delete options are applied", async () => {
  const { uid } = await pod("asked");
  const other = { deleteOptions: { preconditions: { uid: "another" } } };
  expect((await evict("asked", { more: other })).code).toBe(409);
  expect(
    (await evict("asked", { more: { deleteOptions: { preconditions: { uid }, gracePeriodSeconds: 7 } } })).code,
  ).toBe(201);
  expect((await admin.get(`${PODS}/asked`)).json.metadata).toMatchObject({ deletionGracePeriodSeconds: 7 });
});

test.each<[string, () => Promise<{ code: number; json: Loose }>, number, string]>([
  ["of a pod that is not there", () => evict("missing"), 404, 'pods "missing" not found'],
  [
    "by another name",
    () => evict("missing", { more: { metadata: { name: "other" } } }),
    400,
    "name in URL does not match name in Eviction object",
  ],
  [
    "in another namespace",
    () => evict("missing", { more: { metadata: { name: "missing", namespace: "other" } } }),
    400,
    "the namespace of the provided object does not match the namespace sent on the request",
  ],
])("an eviction %s is refused", async (_what, ask, code, message) => {
  const answer = await ask();
  expect([answer.code, answer.json.message]).toEqual([code, message]);
});

test("twenty concurrent evictions succeed as often as the budget allows", async () => {
  await budget("web", { disruptionsAllowed: 7, currentHealthy: 20, desiredHealthy: 13 });
  const names = Array.from({ length: 20 }, (_, nth) => `web-${nth}`);
  for (const name of names) await pod(name);
  const codes = (await Promise.all(names.map((name) => evict(name)))).map(({ code }) => code);
  expect(codes.filter((code) => code === 201)).toHaveLength(7);
  expect(codes.filter((code) => code === 429)).toHaveLength(13);
  expect(await statusOf("web")).toMatchObject({ disruptionsAllowed: 0 });
});

test("a refused eviction names the required permission", async () => {
  await pod("guarded");
  const stranger = new ApiClient(server);
  const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "guarded" } };
  const { code, json } = await stranger.post(`${PODS}/guarded/eviction`, body);
  stranger.close();
  expect([code, json.message]).toEqual([
    403,
    expect.stringContaining('cannot create resource "pods/eviction" in API group "" in the namespace "default"'),
  ]);
});

test("an exhausted budget says why its controller allows no disruption", async () => {
  await budget("failing", { disruptionsAllowed: 0 });
  const condition = { type: "DisruptionAllowed", status: "False", reason: "SyncFailed", message: "no scale" };
  const conditions = [{ ...condition, lastTransitionTime: "2024-05-01T12:00:00Z" }];
  await merge(`${BUDGETS}/failing/status`, { status: { conditions } });
  await pod("stuck");
  const text = "The disruption budget failing does not allow evicting pods currently because it failed sync: no scale";
  expect((await evict("stuck")).json).toMatchObject({ details: { causes: [{ message: text }] } });
});
