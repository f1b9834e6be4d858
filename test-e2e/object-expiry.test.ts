// Objects of any kind end at the time that their annotations state. Real controllers under their accounts, against a
// server in this process.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "@orch/apiserver";
import { builtInTypes, type Client, silentLog } from "@orch/client";
import { chosenControllers, runControllers } from "@orch/controllers";
import type { JsonObject } from "@orch/schema";
import { eventually } from "./harness/eventually";
import { adminClient, adminConnection } from "./harness/in-process";

const types = builtInTypes();
const TTL = "orch.io/ttl";
const AT = "orch.io/expires-at";
const PROTECTED = "orch.io/deletion-protection";

const stop = new AbortController();
let server: RunningServer;
let client: Client;
let done: Promise<unknown>;

beforeAll(async () => {
  server = await startServer();
  client = adminClient(server);
  const controllers = chosenControllers(["namespace", "garbagecollector", "object-expiry", "serviceaccount-token"]);
  const connection = adminConnection(server);
  done = runControllers(
    { connection, vocabulary: "orch", log: silentLog, controllers, usesAccounts: true },
    stop.signal,
  );
});
afterAll(async () => {
  stop.abort();
  await done;
  client.close();
  await server.stop();
});

const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();
const maps = () => client.resource(types.configMaps).namespace("default");
const expiring = (name: string, annotations: Record<string, string>, more: object = {}) => ({
  metadata: { name, annotations, ...more },
});
const isGone = (name: string) => async () => (await maps().find(name)) === undefined;

async function eventNotes(name: string): Promise<readonly string[]> {
  const { items } = await client.resource(types.events).namespace("default").list();
  const about = items.filter(({ regarding }) => regarding?.name === name);
  return about.map(({ type, reason, note }) => `${type} ${reason}: ${note}`);
}

describe("an object is deleted at its time", () => {
  test("with a time to live, and an event tells it", async () => {
    await maps().create(expiring("short", { [TTL]: "100ms" }));
    await eventually("it is gone", isGone("short"));
    const told = await eventually("an event", async () => {
      const notes = await eventNotes("short");
      return notes.length > 0 && notes;
    });
    expect(told).toEqual([expect.stringMatching(/^Normal Expired: the object has expired at \S+Z and was deleted$/)]);
  });

  test("when it is a role binding", async () => {
    const type = { group: "rbac.authorization.orch.io", version: "v1", resource: "rolebindings", kind: "RoleBinding" };
    const bindings = client.resource<JsonObject>({ ...type, namespaced: true }).namespace("default");
    const roleRef = { apiGroup: type.group, kind: "ClusterRole", name: "view" };
    await bindings.create({ ...expiring("visit", { [AT]: inMs(500) }), roleRef } as never);
    await eventually("it is gone", async () => (await bindings.find("visit")) === undefined);
  });

  test("when it is a namespace, with its content", async () => {
    await client.resource(types.namespaces).create(expiring("preview", { [TTL]: "1s" }));
    await client
      .resource(types.configMaps)
      .namespace("preview")
      .create({ metadata: { name: "a" } });
    await eventually("it is gone", async () => (await client.resource(types.namespaces).find("preview")) === undefined);
  });

  test("when its definition has only just been made", async () => {
    const names = { plural: "leaflets", kind: "Leaflet" };
    const schema = { openAPIV3Schema: { type: "object" } };
    const versions = [{ name: "v1", served: true, storage: true, schema }];
    const spec = { group: "example.com", scope: "Namespaced", names, versions };
    await client
      .resource(types.customResourceDefinitions)
      .create({ metadata: { name: "leaflets.example.com" }, spec } as never);
    const type = { group: "example.com", version: "v1", resource: "leaflets", kind: "Leaflet", namespaced: true };
    const leaflets = client.resource<JsonObject>(type).namespace("default");
    await eventually("it is served", () => leaflets.create(expiring("one", { [TTL]: "1s" })).catch(() => undefined));
    await eventually("it is gone", async () => (await leaflets.find("one")) === undefined);
  });

  test("though a finalizer keeps it", async () => {
    await maps().create(expiring("kept", { [TTL]: "100ms" }, { finalizers: ["example.com/keep"] }));
    await eventually(
      "its deletion has begun",
      async () => (await maps().get("kept")).metadata?.deletionTimestamp !== undefined,
    );
    await maps().patch("kept", "merge", { metadata: { finalizers: null } });
    await eventually("it is gone", isGone("kept"));
  });
});

test("an object whose time is moved or taken away stays", async () => {
  await maps().create(expiring("moved", { [AT]: inMs(2_000) }));
  await maps().create(expiring("freed", { [AT]: inMs(2_000) }));
  await maps().create(expiring("last", { [AT]: inMs(2_500) }));
  await maps().patch("moved", "merge", { metadata: { annotations: { [AT]: inMs(3_600_000) } } });
  await maps().patch("freed", "merge", { metadata: { annotations: { [AT]: null } } });
  await eventually("a later one is gone", isGone("last"));
  expect((await maps().list()).items.map(({ metadata }) => metadata?.name)).toEqual(
    expect.arrayContaining(["moved", "freed"]),
  );
});

test("deletion protection keeps an expired object until it is taken away", async () => {
  await maps().create(expiring("guarded", { [TTL]: "100ms", [PROTECTED]: "true" }));
  const told = await eventually("an event", async () => {
    const notes = await eventNotes("guarded");
    return notes.length > 0 && notes;
  });
  expect(told[0]).toMatch(
    /^Warning ExpiryRefused: the object has expired at \S+Z, but it was not deleted: .*protected/,
  );
  expect(await isGone("guarded")()).toBe(false);
  await maps().patch("guarded", "merge", { metadata: { annotations: { [PROTECTED]: null } } });
  await eventually("it is gone", isGone("guarded"));
});

test("an invalid time is refused with its field and rule", async () => {
  await expect(maps().create(expiring("bad", { [AT]: "tomorrow" }))).rejects.toThrow(
    /metadata\.annotations\[orch\.io\/expires-at\]: Invalid value: "tomorrow": must be a time of RFC 3339/,
  );
});
