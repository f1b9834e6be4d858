import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { vocabularyOf } from "@orch/schema";
import { openStore, type Store } from "@orch/store";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";

const MAPS = "/api/v1/namespaces/default/configmaps";
const OPTION = "ignoreStoreReadErrorWithClusterBreakingPotential";
const { groups } = vocabularyOf("orch");
let store: Store;
let server: RunningServer;
let admin: ApiClient;

beforeAll(async () => {
  store = await openStore({ kind: "memory" });
  server = await startServer({
    store,
    flags: { "emulated-release": "1.36", "feature-gates": { AllowUnsafeMalformedObjectDeletion: true } },
  });
  admin = new ApiClient(server, server.admin);
});
afterAll(async () => {
  admin.close();
  await server.stop();
  await store.close();
});

const damage = (name: string) =>
  store.txn({
    compare: [],
    then: [{ kind: "put", key: `/registry/core/configmaps/default/${name}`, value: Buffer.from("no json") }],
  });
const remove = (path: string, options: object, client = admin) =>
  client.ask("DELETE", path, {
    body: { kind: "DeleteOptions", apiVersion: "v1", ...options },
    headers: { "content-type": "application/json" },
  });

describe("with the gate AllowUnsafeMalformedObjectDeletion", () => {
  test("an unreadable object is deleted only when the option asks for it", async () => {
    await damage("odd");
    const plain = await admin.delete(`${MAPS}/odd`);
    expect([plain.code, plain.json.reason]).toEqual([500, "InternalError"]);
    expect((await admin.delete(MAPS)).code).toBe(200);
    expect((await admin.get(`${MAPS}/odd`)).code).toBe(500);
    expect((await remove(`${MAPS}/odd`, { [OPTION]: false })).code).toBe(500);
    expect((await remove(`${MAPS}/odd`, { [OPTION]: true })).code).toBe(200);
    expect((await admin.get(`${MAPS}/odd`)).code).toBe(404);
    await damage("odd");
    expect((await admin.delete(`${MAPS}/odd?${OPTION}=true`)).code).toBe(200);
  });

  test("a readable object is not deleted by the option", async () => {
    await admin.post(MAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "fine" } });
    const refused = await remove(`${MAPS}/fine`, { [OPTION]: true });
    expect([refused.code, refused.json.reason]).toEqual([422, "Invalid"]);
    expect(refused.json.message).toContain("is exclusively used to delete corrupt object(s)");
    expect((await admin.get(`${MAPS}/fine`)).code).toBe(200);
    expect((await remove(`${MAPS}/missing`, { [OPTION]: true })).code).toBe(404);
  });

  test.each([
    ["dryRun", { dryRun: ["All"] }],
    ["propagationPolicy", { propagationPolicy: "Background" }],
    ["orphanDependents", { orphanDependents: true }],
    ["gracePeriodSeconds", { gracePeriodSeconds: 0 }],
    ["preconditions", { preconditions: { uid: "x" } }],
  ])("the option excludes %s", async (name, options) => {
    const refused = await remove(`${MAPS}/odd`, { [OPTION]: true, ...options });
    expect(refused.code).toBe(422);
    expect(refused.json.details).toMatchObject({
      causes: [{ field: OPTION, message: expect.stringContaining(`cannot be set together with .${name}`) }],
    });
  });

  test("the option does not delete collections", async () => {
    const refused = await remove(MAPS, { [OPTION]: true });
    expect([refused.code, refused.json.message]).toEqual([
      422,
      expect.stringContaining("is not allowed with DELETECOLLECTION"),
    ]);
  });

  test("the option needs a permission of its own", async () => {
    await damage("odd");
    const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["delete"] }];
    const roles = `/apis/${groups.rbac}/v1`;
    await admin.post(`${roles}/clusterroles`, { metadata: { name: "deleter" }, rules });
    const roleRef = { apiGroup: groups.rbac, kind: "ClusterRole", name: "deleter" };
    const subjects = [{ kind: "User", apiGroup: groups.rbac, name: "ann" }];
    await admin.post(`${roles}/clusterrolebindings`, { metadata: { name: "deleter" }, roleRef, subjects });
    const refused = await admin.ask("DELETE", `${MAPS}/odd?${OPTION}=true`, { headers: { "impersonate-user": "ann" } });
    expect(refused.code).toBe(403);
    expect(refused.json.message).toContain('cannot unsafe-delete-ignore-read-errors resource "configmaps"');
    await admin.ask("PATCH", `${roles}/clusterroles/deleter`, {
      body: { rules: [{ ...rules[0], verbs: ["delete", "unsafe-delete-ignore-read-errors"] }] },
      headers: { "content-type": "application/merge-patch+json" },
    });
    let code = 403;
    while (code === 403)
      code = (await admin.ask("DELETE", `${MAPS}/odd?${OPTION}=true`, { headers: { "impersonate-user": "ann" } })).code;
    expect(code).toBe(200);
  });
});
