// Constrained impersonation over a real server with roles, by release, and what audit tells about it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";

const folder = mkdtempSync(join(tmpdir(), "constrained-impersonation-"));
afterAll(() => rmSync(folder, { recursive: true }));

const RBAC = "rbac.authorization.orch.io";
const AUTHENTICATION = ["authentication.orch.io"];
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

async function start(release: string, gate?: boolean) {
  const policy = join(folder, `policy-${release}-${gate}.json`);
  const log = join(folder, `audit-${release}-${gate}.log`);
  writeFileSync(
    policy,
    JSON.stringify({ apiVersion: "audit.orch.io/v1", kind: "Policy", rules: [{ level: "Metadata" }] }),
  );
  const gates = gate === undefined ? {} : { ConstrainedImpersonation: gate };
  const server = await startServer({
    flags: {
      "emulated-release": release,
      "feature-gates": gates,
      "audit-policy-file": policy,
      "audit-log-path": log,
      "audit-log-mode": "blocking-strict",
    },
  });
  const admin = new ApiClient(server, server.admin);
  const grant = async (user: string, rules: object[]) => {
    const name = `grant-${user}`;
    await admin.post(`/apis/${RBAC}/v1/clusterroles`, { metadata: { name }, rules });
    await admin.post(`/apis/${RBAC}/v1/clusterrolebindings`, {
      metadata: { name },
      subjects: [{ kind: "User", name: user, apiGroup: RBAC }],
      roleRef: { kind: "ClusterRole", name, apiGroup: RBAC },
    });
  };
  const reading = { apiGroups: [""], resources: ["configmaps"], verbs: ["list", "delete"] };
  await grant("jane", [reading]);
  // May be jane, but only to list config maps.
  await grant("ann", [
    { apiGroups: AUTHENTICATION, resources: ["users"], resourceNames: ["jane"], verbs: ["impersonate:user-info"] },
    { apiGroups: [""], resources: ["configmaps"], verbs: ["impersonate-on:user-info:list"] },
  ]);
  await grant("old", [{ apiGroups: [""], resources: ["users"], resourceNames: ["jane"], verbs: ["impersonate"] }]);
  const client = new Map(["ann", "old"].map((name) => [name, new ApiClient(server, server.issueClient({ name }))]));
  const headers = { "Impersonate-User": "jane" };
  return {
    list: (user: string) => (client.get(user) as ApiClient).get(CONFIG_MAPS, { headers }),
    listAsGroup: (user: string) =>
      (client.get(user) as ApiClient).get(CONFIG_MAPS, { headers: { "Impersonate-Group": "devs" } }),
    remove: (user: string) => (client.get(user) as ApiClient).ask("DELETE", `${CONFIG_MAPS}/none`, { headers }),
    events: () =>
      readFileSync(log, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter((event) => event["stage"] === "ResponseComplete" && event["impersonatedUser"] !== undefined)
        .map((event) => [event["verb"], event["authenticationMetadata"]]),
    async stop() {
      for (const each of [admin, ...client.values()]) each.close();
      await server.stop();
    },
  };
}

test("at 1.36 a user may be another one for the granted actions only, or by the verb impersonate", async () => {
  const { list, listAsGroup, remove, events, stop } = await start("1.36");
  expect((await list("ann")).code).toBe(200);
  const refused = await remove("ann");
  expect([refused.code, refused.json.message]).toEqual([
    403,
    expect.stringContaining('User "ann" cannot impersonate-on:user-info:delete resource "configmaps"'),
  ]);
  expect([(await list("old")).code, (await remove("old")).code]).toEqual([200, 404]);
  const ofNoUser = await listAsGroup("old");
  expect([ofNoUser.code, ofNoUser.json]).toEqual([
    400,
    expect.objectContaining({
      reason: "BadRequest",
      message: "requested [groups] without impersonating a user name",
    }),
  ]);
  // The event of a request is written after its answer.
  await stop();
  expect(events()).toEqual([
    ["list", { impersonationConstraint: "impersonate:user-info" }],
    ["list", undefined],
    ["delete", undefined],
  ]);
});

test.each<[string, boolean | undefined]>([
  ["1.35", undefined],
  ["1.36", false],
])("at %s with the gate %s only the verb impersonate counts", async (release, gate) => {
  const { list, listAsGroup, stop } = await start(release, gate);
  const refused = await list("ann");
  expect([refused.code, refused.json.message]).toEqual([
    403,
    expect.stringContaining('User "ann" cannot impersonate resource "users"'),
  ]);
  expect((await list("old")).code).toBe(200);
  expect((await listAsGroup("old")).code).toBe(500);
  await stop();
});
