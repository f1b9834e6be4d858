import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient, CONFIG_MAPS, configMap } from "../testing/api-client";

const folder = mkdtempSync(join(tmpdir(), "access-"));
const tokens = join(folder, "tokens.csv");
const RBAC = "/apis/rbac.authorization.orch.io/v1";

let server: RunningServer;
let admin: ApiClient;

beforeAll(async () => {
  writeFileSync(tokens, 'jane-token,jane,1,"developers"\n');
  server = await startServer({ flags: { "token-auth-file": tokens, "cors-allowed-origins": ["^https://good\\."] } });
  admin = new ApiClient(server, server.admin);
});
afterAll(async () => {
  admin.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

describe("authentication", () => {
  test("a request without credentials is anonymous: what is public is shown, the rest is forbidden", async () => {
    const anybody = new ApiClient(server);
    expect((await anybody.get("/version")).code).toBe(200);
    const refused = await anybody.get(CONFIG_MAPS);
    expect(refused.code).toBe(403);
    expect(refused.headers["x-content-type-options"]).toBe("nosniff");
    expect(refused.json.message).toBe(
      'configmaps is forbidden: User "system:anonymous" cannot list resource "configmaps" in API group "" in the namespace "default"',
    );
    anybody.close();
  });

  test("an unknown token is rejected even where anonymous requests are allowed", async () => {
    const anybody = new ApiClient(server);
    const answer = await anybody.get("/version", { headers: { authorization: "Bearer guess" } });
    expect(answer.code).toBe(401);
    expect(answer.json).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: "Unauthorized",
      reason: "Unauthorized",
      code: 401,
    });
    anybody.close();
  });

  test("a token of the file and a certificate both name a user, whose roles decide from the next request on", async () => {
    const jane = new ApiClient(server);
    const asJane = { headers: { authorization: "Bearer jane-token" } };
    const bob = new ApiClient(server, server.issueClient({ name: "bob", groups: ["developers"] }));
    expect((await jane.get(CONFIG_MAPS, asJane)).code).toBe(403);
    expect((await bob.get(CONFIG_MAPS)).code).toBe(403);

    const binding = {
      metadata: { name: "developers" },
      subjects: [{ kind: "Group", name: "developers", apiGroup: "rbac.authorization.orch.io" }],
      roleRef: { kind: "ClusterRole", name: "view", apiGroup: "rbac.authorization.orch.io" },
    };
    expect((await admin.post(`${RBAC}/namespaces/default/rolebindings`, binding)).code).toBe(201);
    expect((await jane.get(CONFIG_MAPS, asJane)).code).toBe(200);
    expect((await bob.get(CONFIG_MAPS)).code).toBe(200);
    expect((await bob.post(CONFIG_MAPS, configMap("bobs"))).code).toBe(403);
    expect((await bob.get("/api/v1/namespaces/orch-system/configmaps")).code).toBe(403);

    await admin.delete(`${RBAC}/namespaces/default/rolebindings/developers`);
    expect((await bob.get(CONFIG_MAPS)).code).toBe(403);
    jane.close();
    bob.close();
  });

  test("a certificate of another authority is none", async () => {
    const other = await startServer();
    const stranger = new ApiClient(server, other.admin);
    expect((await stranger.get(CONFIG_MAPS)).code).toBe(401);
    stranger.close();
    await other.stop();
  });
});

describe("modes", () => {
  test("AlwaysDeny lets none but the privileged group in", async () => {
    const closed = await startServer({ flags: { "authorization-mode": ["AlwaysDeny"] } });
    const [root, jane] = [closed.admin, closed.issueClient({ name: "jane" })].map((as) => new ApiClient(closed, as));
    expect((await root?.get(CONFIG_MAPS))?.code).toBe(200);
    expect((await jane?.get(CONFIG_MAPS))?.code).toBe(403);
    root?.close();
    jane?.close();
    await closed.stop();
  });

  test("AlwaysAllow requires authentication and allows every user", async () => {
    const open = await startServer({ flags: { "authorization-mode": ["AlwaysAllow"] } });
    const [jane, anybody] = [new ApiClient(open, open.issueClient({ name: "jane" })), new ApiClient(open)];
    expect((await jane.get(CONFIG_MAPS)).code).toBe(200);
    expect((await anybody.get(CONFIG_MAPS)).code).toBe(401);
    jane.close();
    anybody.close();
    await open.stop();
  });

  test("that are unknown stop the start", async () =>
    await expect(startServer({ flags: { "authorization-mode": ["Sometimes"] } })).rejects.toThrow("Sometimes"));
});

test("an option that does not exist stops a start inside another process, by its name", async () => {
  const flags: object = { "authorisation-mode": ["RBAC"] };
  await expect(startServer({ flags })).rejects.toThrow("unknown flag: --authorisation-mode");
});

test("a port that is taken stops a start inside another process, with the option and what helps", async () => {
  await expect(startServer({ flags: { "secure-port": server.port } })).rejects.toThrow(
    `--secure-port: ${server.port} of 127.0.0.1 is in use: stop the program that listens there, or choose another port`,
  );
});

test("browsers of an allowed origin are told so, before they have to say who they are", async () => {
  const anybody = new ApiClient(server);
  const asked = (origin: string) => anybody.ask("OPTIONS", CONFIG_MAPS, { headers: { origin } });
  const good = await asked("https://good.example");
  expect(good.code).toBe(204);
  expect(good.headers["access-control-allow-origin"]).toBe("https://good.example");
  expect(good.headers["cache-control"]).toBe("no-cache, private");
  const bad = await asked("https://bad.example");
  expect(bad.code).toBe(403);
  expect(bad.headers["access-control-allow-origin"]).toBeUndefined();
  anybody.close();
});
