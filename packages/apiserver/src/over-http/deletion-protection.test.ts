// Protected objects stay, whether deletion is requested for one, for a collection, with the namespace, with the
// definition, or by an eviction.
import { describe, expect, test } from "@jest/globals";
import { defaultPluginNames, pluginsOf } from "@orch/admission";
import { DEFAULT_RELEASES } from "@orch/apis";
import { openStore } from "@orch/store";
import { startServer } from "../server/start-server";
import { type Answer, ApiClient } from "../testing/api-client";
import { DEFINITIONS, definition } from "../testing/custom-definitions";
import { useServer } from "../testing/use-server";

const MARK = "orch.io/deletion-protection";
const MERGE = { "content-type": "application/merge-patch+json" };

let admin: ApiClient;
useServer(({ admin: client }) => {
  admin = client;
});

const marked = (name: string) => ({ metadata: { name, annotations: { [MARK]: "true" } } });
const spaces = "/api/v1/namespaces";
const maps = (namespace: string) => `${spaces}/${namespace}/configmaps`;
const take = (path: string) => admin.ask("PATCH", path, unmarking);
const unmarking = { body: JSON.stringify({ metadata: { annotations: { [MARK]: null } } }), headers: MERGE };
const codeOf = async (path: string) => (await admin.get(path)).code;

async function namespace(name: string, more: object = { metadata: { name } }): Promise<string> {
  expect((await admin.post(spaces, more)).code).toBe(201);
  return name;
}

async function put(path: string, object: object): Promise<string> {
  const answer = await admin.post(`${path}?fieldManager=ann`, object);
  expect([answer.code, answer.json.message]).toEqual([201, undefined]);
  return `${path}/${answer.json.metadata.name}`;
}

function expectKept(answer: Answer, what: string): void {
  expect([answer.code, answer.json.reason]).toEqual([403, "Forbidden"]);
  expect(answer.json.message).toMatch(
    new RegExp(
      `^${what} protected from deletion by the annotation ${MARK}, which "ann" set at \\S+Z: remove the annotation first$`,
    ),
  );
}

describe("a marked object", () => {
  test("stays until its mark is taken off", async () => {
    const path = await put(maps("default"), marked("alone"));
    expectKept(await admin.ask("DELETE", path), 'configmaps "alone" is forbidden: it is');
    expectKept(await admin.ask("DELETE", `${path}?dryRun=All`), 'configmaps "alone" is forbidden: it is');
    const options = {
      body: { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Foreground", gracePeriodSeconds: 0 },
    };
    expectKept(await admin.ask("DELETE", path, options), 'configmaps "alone" is forbidden: it is');
    expect((await admin.get(path)).json.metadata).not.toHaveProperty("deletionTimestamp");
    expect((await take(path)).code).toBe(200);
    expect((await admin.ask("DELETE", path)).code).toBe(200);
    expect(await codeOf(path)).toBe(404);
  });

  test("stays when all are deleted, in a dry run too", async () => {
    const path = maps(await namespace("many"));
    const kept = await put(path, marked("kept"));
    await put(path, { metadata: { name: "other" } });
    expectKept(await admin.ask("DELETE", `${path}?dryRun=All`), 'configmaps "kept" is forbidden: it is');
    expectKept(await admin.ask("DELETE", path), 'configmaps "kept" is forbidden: it is');
    expect(await codeOf(kept)).toBe(200);
    expect((await admin.ask("DELETE", `${path}?fieldSelector=metadata.name%3Dother`)).code).toBe(200);
  });

  test("is not evicted", async () => {
    const path = await put(`${spaces}/default/pods`, {
      ...marked("pod"),
      spec: { containers: [{ name: "c", image: "i" }] },
    });
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "pod" } };
    expectKept(await admin.post(`${path}/eviction`, eviction), 'pods "pod" is forbidden: it is');
    expect(await codeOf(path)).toBe(200);
    await take(path);
    expect((await admin.post(`${path}/eviction`, eviction)).code).toBe(201);
  });

  test("that was being deleted already goes in the end", async () => {
    const path = await put(maps("default"), { metadata: { name: "ending", finalizers: ["example.com/hold"] } });
    expect((await admin.ask("DELETE", path)).code).toBe(200);
    const late = { body: JSON.stringify({ metadata: { annotations: { [MARK]: "true" } } }), headers: MERGE };
    expect((await admin.ask("PATCH", path, late)).code).toBe(200);
    await admin.ask("PATCH", path, { body: JSON.stringify({ metadata: { finalizers: null } }), headers: MERGE });
    expect(await codeOf(path)).toBe(404);
  });
});

describe("a namespace", () => {
  test("that is marked stays", async () => {
    const path = await put(spaces, marked("own"));
    expectKept(await admin.ask("DELETE", path), 'namespaces "own" is forbidden: it is');
    await take(path);
    expect((await admin.ask("DELETE", path)).code).toBe(200);
  });

  test("stays with what is marked in it, by the first that is found, and goes without", async () => {
    const name = await namespace("full");
    const path = `${spaces}/${name}`;
    await put(maps(name), { metadata: { name: "free" } });
    const secret = await put(`${path}/secrets`, marked("kept"));
    expectKept(await admin.ask("DELETE", `${path}?dryRun=All`), 'namespaces "full" is forbidden: secrets "kept" is');
    expectKept(await admin.ask("DELETE", path), 'namespaces "full" is forbidden: secrets "kept" is');
    expect((await admin.get(path)).json.status.phase).toBe("Active");
    expect(await codeOf(`${maps(name)}/free`)).toBe(200);
    await take(secret);
    expect((await admin.ask("DELETE", path)).code).toBe(200);
    expect((await admin.get(path)).json.status.phase).toBe("Terminating");
  });

  test("that ends nevertheless does not take along what is marked meanwhile", async () => {
    const name = await namespace("late");
    const map = await put(maps(name), { metadata: { name: "kept" }, data: { a: "b" } });
    expect((await admin.ask("DELETE", `${spaces}/${name}`)).code).toBe(200);
    const late = { body: JSON.stringify({ metadata: { annotations: { [MARK]: "true" } } }), headers: MERGE };
    expect((await admin.ask("PATCH", `${map}?fieldManager=ann`, late)).code).toBe(200);
    expectKept(await admin.ask("DELETE", maps(name)), 'configmaps "kept" is forbidden: it is');
    expect(await codeOf(map)).toBe(200);
  });
});

describe("a protected custom object", () => {
  const path = `${DEFINITIONS}/gadgets.example.com`;
  const gadgets = `/apis/example.com/v1/namespaces/made/gadgets`;

  test("objects stay, with their namespace and their definition", async () => {
    await put(DEFINITIONS, definition({ plural: "gadgets", kind: "Gadget" }));
    await namespace("made");
    while ((await codeOf(gadgets)) !== 200) await new Promise((resolve) => setTimeout(resolve, 10));
    const gadget = await put(gadgets, { apiVersion: "example.com/v1", kind: "Gadget", ...marked("kept") });
    expectKept(await admin.ask("DELETE", gadget), 'gadgets.example.com "kept" is forbidden: it is');
    expectKept(
      await admin.ask("DELETE", `${spaces}/made`),
      'namespaces "made" is forbidden: gadgets.example.com "kept" is',
    );
    expectKept(
      await admin.ask("DELETE", path),
      'customresourcedefinitions.apiextensions.orch.io "gadgets.example.com" is forbidden: gadgets.example.com "kept" of the namespace made is',
    );
    await take(gadget);
    expect((await admin.ask("DELETE", path)).code).toBe(200);
  });
});

test("a server without any plugin keeps it, too", async () => {
  const server = await startServer({
    flags: { "disable-admission-plugins": defaultPluginNames(pluginsOf(DEFAULT_RELEASES.orch)) },
  });
  const client = new ApiClient(server, server.admin);
  expect((await client.post(maps("default"), marked("kept"))).code).toBe(201);
  expect((await client.ask("DELETE", `${maps("default")}/kept`)).code).toBe(403);
  client.close();
  await server.stop();
});

test("a server starts although it may not replace a protected object", async () => {
  const store = await openStore({ kind: "memory" });
  const path = "/apis/rbac.authorization.orch.io/v1/clusterrolebindings/system:basic-user";
  const first = await startServer({ store });
  const client = new ApiClient(first, first.admin);
  const { roleRef, ...others } = (await client.get(path)).json as unknown as {
    roleRef: object;
    metadata: { annotations: object };
  };
  const metadata = { name: "system:basic-user", annotations: { ...others.metadata.annotations, [MARK]: "true" } };
  const own = { ...others, metadata, roleRef: { ...roleRef, name: "view" } };
  await client.ask("DELETE", path);
  expect((await client.post(path.replace(/\/[^/]*$/, ""), own)).code).toBe(201);
  client.close();
  await first.stop();
  const second = await startServer({ store });
  const other = new ApiClient(second, second.admin);
  expect((await other.get(path)).json).toMatchObject({ roleRef: { name: "view" } });
  other.close();
  await second.stop();
  await store.close();
});
