// SelfSubjectReview: the authenticated user as a resource.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";

const GROUPS = ["v1", "v1beta1"].map((version) => `/apis/authentication.orch.io/${version}`);

let server: RunningServer;
const clients: ApiClient[] = [];

function client(name?: string, groups: readonly string[] = []): ApiClient {
  const made = new ApiClient(server, name === undefined ? undefined : server.issueClient({ name, groups }));
  clients.push(made);
  return made;
}

const userOf = async (asking: ApiClient, headers: Record<string, string> = {}, group = GROUPS[0]) => {
  const { code, json } = await asking.post(`${group}/selfsubjectreviews`, { kind: "SelfSubjectReview" }, headers);
  return [code, (json.status as unknown as { userInfo?: object } | undefined)?.userInfo];
};

beforeAll(async () => {
  server = await startServer({ flags: { "emulated-release": "1.20", "authorization-mode": ["RBAC"] } });
});
afterAll(async () => {
  for (const each of clients) each.close();
  await server.stop();
});

test.each(GROUPS)("%s: every authenticated user receives name and groups", async (group) => {
  expect(await userOf(client("ann", ["devs"]), {}, group)).toEqual([
    201,
    { username: "ann", groups: ["devs", "system:authenticated"] },
  ]);
  const [code] = await userOf(client());
  expect(code).toBe(403);
});

test("an impersonated request returns the impersonated user", async () => {
  const admin = new ApiClient(server, server.admin);
  clients.push(admin);
  expect(await userOf(admin, { "impersonate-user": "bob", "impersonate-group": "ops" })).toEqual([
    201,
    { username: "bob", groups: ["ops", "system:authenticated"] },
  ]);
});

test.each(GROUPS)("%s lists the resource", async (group) => {
  const { json } = await client("ann").get(group);
  expect(JSON.stringify(json)).toContain('"selfsubjectreviews"');
});
