// Values as existing clients write them: accepted, answered and rejected.
import { beforeAll, describe, expect, test } from "@jest/globals";
import { type ApiClient, CONFIG_MAPS } from "../testing/api-client";
import { useServer } from "../testing/use-server";

let admin: ApiClient;

useServer((running) => ({ admin } = running));

describe("a selector without values", () => {
  beforeAll(async () => {
    await admin.post(CONFIG_MAPS, { metadata: { name: "empty", labels: { x: "" } } });
    await admin.post(CONFIG_MAPS, { metadata: { name: "one", labels: { x: "1" } } });
    await admin.post(CONFIG_MAPS, { metadata: { name: "none" } });
  });

  test.each([
    ["x in ()", ["empty"]],
    ["x notin ()", ["none", "one"]],
  ])("%s is one of the empty value", async (selector, names) => {
    const { json } = await admin.get(`${CONFIG_MAPS}?labelSelector=${encodeURIComponent(selector)}`);
    expect(json.items.map(({ metadata }) => metadata.name)).toEqual(names);
  });
});

describe("a time of a lease", () => {
  const LEASES = "/apis/coordination.orch.io/v1/namespaces/default/leases";
  test.each([
    ["2024-05-01T12:00:00.123456Z", 201],
    ["2024-05-01T12:00:00Z", 400],
    ["2024-05-01T12:00:00.123Z", 400],
    ["2024-05-01T12:00:00.1234567Z", 400],
  ])("%s: %i", async (renewTime, code) => {
    const answer = await admin.post(`${LEASES}?dryRun=All`, { metadata: { name: "l" }, spec: { renewTime } });
    expect(answer.code).toBe(code);
  });
});

test.each(["Ti", "m", "."])("an amount without digits, %s, is none", async (memory) => {
  const { code, json } = await admin.post("/api/v1/namespaces/default/resourcequotas?dryRun=All", {
    metadata: { name: "q" },
    spec: { hard: { memory } },
  });
  expect([code, json.spec]).toEqual([201, { hard: { memory: "0" } }]);
});

test("the length of a block of addresses may begin with zeros", async () => {
  const spec = { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: "10.0.0.0/08" } }] }] };
  const path = "/apis/networking.orch.io/v1/namespaces/default/networkpolicies?dryRun=All";
  const { code, json } = await admin.post(path, { metadata: { name: "n" }, spec });
  expect([code, json.spec]).toMatchObject([201, spec]);
});

test("a node of storage has no status in a release whose schema has none", async () => {
  const path = "/apis/storage.orch.io/v1/csinodes";
  const { code, json } = await admin.post(path, { metadata: { name: "n" }, spec: { drivers: [] } });
  expect([code, "status" in json]).toEqual([201, false]);
  expect("status" in (await admin.get(`${path}/n`)).json).toBe(false);
});
