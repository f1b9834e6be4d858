// Explained writes: the answer shows the effect of each admission plugin, and nothing is written.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { PluginFactory } from "@orch/admission";
import { forbidden, writableMeta } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { type RunningServer, startWithSeams } from "../server/start-server";
import { ApiClient, CONFIG_MAPS } from "../testing/api-client";

const EXPLAIN = "dryRun=All&admission=explain";

let server: RunningServer;
let admin: ApiClient;
let writer: ApiClient;

const rule = (name: string, parts: Partial<ReturnType<PluginFactory["make"]>>): PluginFactory => ({
  name,
  make: () => ({
    on: [{ operations: ["CREATE", "UPDATE", "DELETE"], resources: [{ group: "", plural: "configmaps" }] }],
    ...parts,
  }),
});

const labels = rule("Labels", {
  mutate(request, round) {
    if (request.object === undefined) return;
    const meta = writableMeta(request.object);
    meta["labels"] = { ...(meta["labels"] as JsonObject | undefined), seen: String(round.number) };
    round.again("IfNeeded");
  },
});
const values = rule("Values", {
  mutate({ object }) {
    if (object !== undefined) object["data"] = { ...(object["data"] as JsonObject | undefined), added: "yes" };
  },
});
const judge = rule("Judge", {
  validate({ definition, name, pathName, operation, object }) {
    const data = object?.["data"] as JsonObject | undefined;
    if (data?.["bad"] !== undefined || (operation === "DELETE" && pathName === "kept"))
      throw forbidden({ group: definition.group, resource: definition.plural }, name, "it is bad");
  },
});

beforeAll(async () => {
  server = await startWithSeams({}, { plugins: () => [labels, values, judge] });
  admin = new ApiClient(server, server.admin);
  writer = new ApiClient(server, server.issueClient({ name: "writer" }));
  expect((await admin.post(CONFIG_MAPS, { metadata: { name: "kept" } })).code).toBe(201);
  const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["create", "delete"] }];
  const roles = "/apis/rbac.authorization.orch.io/v1/namespaces/default";
  expect((await admin.post(`${roles}/roles`, { metadata: { name: "writers" }, rules })).code).toBe(201);
  const binding = {
    metadata: { name: "writers" },
    roleRef: { apiGroup: "rbac.authorization.orch.io", kind: "Role", name: "writers" },
    subjects: [{ kind: "User", apiGroup: "rbac.authorization.orch.io", name: "writer" }],
  };
  expect((await admin.post(`${roles}/rolebindings`, binding)).code).toBe(201);
}, 30_000);

afterAll(async () => {
  admin.close();
  writer.close();
  await server.stop();
});

interface Explanation {
  readonly kind: string;
  readonly apiVersion: string;
  readonly allowed: boolean;
  readonly code: number;
  readonly attempts: number;
  readonly steps: readonly (JsonObject & { readonly durationMilliseconds: number })[];
  readonly object?: JsonObject;
  readonly status?: JsonObject;
}

const map = (name: string, data: JsonObject = {}) => ({ metadata: { name }, data });

/** Removes durations, which vary. */
const stepsOf = ({ steps }: Explanation) => steps.map(({ durationMilliseconds: _, ...step }) => step);

describe("explains", () => {
  test("a create: what each changed in each round, and the object as it would be", async () => {
    const { code, json: body } = await admin.post(`${CONFIG_MAPS}?${EXPLAIN}`, map("new"));
    const told = body as unknown as Explanation;
    expect([code, told.kind, told.apiVersion]).toEqual([200, "AdmissionExplanation", "admission.orch.io/v1"]);
    const { allowed, attempts, object } = told;
    expect({ allowed, attempts, code: told.code }).toEqual({ allowed: true, attempts: 1, code: 201 });
    expect(object).toMatchObject({ kind: "ConfigMap", data: { added: "yes" }, metadata: { labels: { seen: "1" } } });
    const step = { phase: "admit", decision: "allowed" };
    expect(stepsOf(told)).toEqual([
      { ...step, round: 0, plugin: "Labels", patch: [{ op: "add", path: "/metadata/labels", value: { seen: "0" } }] },
      { ...step, round: 0, plugin: "Values", patch: [{ op: "add", path: "/data", value: { added: "yes" } }] },
      { ...step, round: 1, plugin: "Labels", patch: [{ op: "replace", path: "/metadata/labels/seen", value: "1" }] },
      { ...step, round: 1, plugin: "Values" },
      { ...step, round: 0, plugin: "ObjectExpiry" },
      { phase: "validate", decision: "allowed", round: 0, plugin: "Judge" },
    ]);
    expect(told.steps.every(({ durationMilliseconds: ms }) => ms >= 0)).toBe(true);
    expect((await admin.ask("GET", `${CONFIG_MAPS}/new`)).code).toBe(404);
  });

  test("a rejected request is explained with the rejecting plugin and its Status", async () => {
    const { code, json: body } = await admin.post(`${CONFIG_MAPS}?${EXPLAIN}`, map("worse", { bad: "1" }));
    const told = body as unknown as Explanation;
    expect([code, told.allowed, told.code]).toEqual([200, false, 403]);
    const message = 'configmaps "worse" is forbidden: it is bad';
    expect(told.status).toMatchObject({ kind: "Status", reason: "Forbidden", message });
    const last = { phase: "validate", round: 0, plugin: "Judge", decision: "denied", code: 403, message };
    expect(stepsOf(told).at(-1)).toEqual(last);
    expect(told.object).toBeUndefined();
  });

  test("errors before admission are returned", async () => {
    const { json: body } = await admin.post(`${CONFIG_MAPS}?${EXPLAIN}`, map("Not A Name"));
    const told = body as unknown as Explanation;
    expect([told.allowed, told.code]).toEqual([false, 422]);
    expect(stepsOf(told).map(({ plugin }) => plugin)).toEqual(["Labels", "Values", "Labels", "Values", "ObjectExpiry"]);
  });

  test.each<[string, object, number]>([
    ["an update", { method: "PUT", path: "/kept", body: map("kept", { a: "1" }) }, 200],
    [
      "a patch",
      { method: "PATCH", path: "/kept", body: { data: { a: "1" } }, type: "application/merge-patch+json" },
      200,
    ],
  ])("%s", async (_what, of, code) => {
    const { method, path, body: sent, type } = of as { method: string; path: string; body: object; type?: string };
    const headers = type === undefined ? {} : { headers: { "content-type": type } };
    const { json: body } = await admin.ask(method, `${CONFIG_MAPS}${path}?${EXPLAIN}`, {
      body: type === undefined ? sent : JSON.stringify(sent),
      ...headers,
    });
    const told = body as unknown as Explanation;
    expect([told.allowed, told.code, told.object?.["data"]]).toEqual([true, code, { a: "1", added: "yes" }]);
    expect((await admin.ask("GET", `${CONFIG_MAPS}/kept`)).json["data"]).toEqual({ added: "yes" });
  });

  test("a deletion, which is none, whatever its body says", async () => {
    const body = { kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds: 0 };
    const refused = await admin.ask("DELETE", `${CONFIG_MAPS}/kept?${EXPLAIN}`, { body });
    expect(refused.json).toMatchObject({ kind: "AdmissionExplanation", allowed: false, code: 403 });
    expect((await admin.post(CONFIG_MAPS, map("gone"))).code).toBe(201);
    const allowed = await admin.ask("DELETE", `${CONFIG_MAPS}/gone?${EXPLAIN}`, { body });
    expect(allowed.json).toMatchObject({ kind: "AdmissionExplanation", allowed: true, code: 200 });
    expect((await admin.ask("GET", `${CONFIG_MAPS}/gone`)).code).toBe(200);
  });

  test("an object that is carried out beside the main thread", async () => {
    const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, "v"]));
    const { code, json: body } = await admin.post(`${CONFIG_MAPS}?${EXPLAIN}`, map("large", data));
    expect(code).toBe(200);
    expect(body).toMatchObject({ kind: "AdmissionExplanation", allowed: true });
  });
});

describe("refuses", () => {
  test.each<[string, string, string, number, string]>([
    ["without a dry run", "POST", "?admission=explain", 400, "admission=explain: requires dryRun=All"],
    ["many at once", "DELETE", `?${EXPLAIN}`, 400, "admission=explain: must be a request for one object"],
  ])("%s", async (_what, method, query, code, message) => {
    const options = method === "POST" ? { body: map("never") } : {};
    const { json: body } = await admin.ask(method, `${CONFIG_MAPS}${query}`, options);
    expect([body["code"], body["message"]]).toEqual([code, message]);
    expect((await admin.ask("GET", `${CONFIG_MAPS}/kept`)).code).toBe(200);
  });

  test("a user who may write but not explain is rejected", async () => {
    expect((await writer.post(`${CONFIG_MAPS}?dryRun=All`, map("mine"))).code).toBe(201);
    const { code, json: body } = await writer.post(`${CONFIG_MAPS}?${EXPLAIN}`, map("mine"));
    expect([code, body["message"]]).toEqual([
      403,
      'configmaps is forbidden: User "writer" cannot explain resource "configmaps" in API group "" in the namespace "default"',
    ]);
  });
});
