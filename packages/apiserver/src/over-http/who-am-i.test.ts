// Whom the server takes the requester for, as a resource.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";

const GROUP = "/apis/authentication.orch.io/v1alpha1";
const REVIEWS = `${GROUP}/selfsubjectreviews`;

let server: RunningServer;
const clients: ApiClient[] = [];

function client(name?: string, groups: readonly string[] = []): ApiClient {
  const made = new ApiClient(server, name === undefined ? undefined : server.issueClient({ name, groups }));
  clients.push(made);
  return made;
}

const userOf = async (asking: ApiClient, headers: Record<string, string> = {}) => {
  const { code, json } = await asking.post(REVIEWS, { kind: "SelfSubjectReview" }, headers);
  return [code, (json.status as unknown as { userInfo?: object } | undefined)?.userInfo];
};

beforeAll(async () => {
  server = await startServer({
    flags: {
      "emulated-release": "1.26",
      "runtime-config": { "authentication.orch.io/v1alpha1": "true" },
      "authorization-mode": ["RBAC"],
    },
  });
});
afterAll(async () => {
  for (const each of clients) each.close();
  await server.stop();
});

test("everybody who is known may ask, and is told name and groups", async () => {
  expect(await userOf(client("ann", ["devs"]))).toEqual([
    201,
    { username: "ann", groups: ["devs", "system:authenticated"] },
  ]);
  const [code] = await userOf(client());
  expect(code).toBe(403);
});

test("who is carried out as somebody else is that somebody", async () => {
  const admin = new ApiClient(server, server.admin);
  clients.push(admin);
  expect(await userOf(admin, { "impersonate-user": "bob", "impersonate-group": "ops" })).toEqual([
    201,
    { username: "bob", groups: ["ops", "system:authenticated"] },
  ]);
});

test("the resource is listed where it is served", async () => {
  const { json } = await client("ann").get(GROUP);
  expect(JSON.stringify(json)).toContain('"selfsubjectreviews"');
});
