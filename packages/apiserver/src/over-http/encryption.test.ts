// Encryption at rest with replicas that share a store: stored values, key rotation under load, and wrong keys.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Logger } from "@orch/observability";
import { openStore, type Store } from "@orch/store";
import { type RunningServer, type StartOptions, startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";

const SECRETS = "/api/v1/namespaces/default/secrets";
const MAPS = "/api/v1/namespaces/default/configmaps";
const MIGRATE = "/debug/migrate?resource=secrets";
const secret = (name: string) => ({ metadata: { name }, stringData: { password: "hunter2" } });
const PASSWORD = Buffer.from("hunter2").toString("base64");

const folder = mkdtempSync(join(tmpdir(), "encryption-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Replica {
  readonly server: RunningServer;
  readonly admin: ApiClient;
}

let store: Store;
let running: Replica[];
let files = 0;
beforeEach(async () => {
  store = await openStore({ kind: "memory" });
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map(stop));
  await store.close();
});

const key = (name: string) => ({ name, secret: Buffer.alloc(32, name).toString("base64") });
const sealedBy = (kind: string, ...names: readonly string[]) => ({ [kind]: { keys: names.map(key) } });
const IDENTITY = { identity: {} };

function configuration(providers: readonly object[], change: object = {}): string {
  const file = join(folder, `${files++}.json`);
  const resources = [{ resources: ["secrets", "widgets.example.com"], providers }];
  const document = { apiVersion: "apiserver.config.orch.io/v1", kind: "EncryptionConfiguration", resources, ...change };
  writeFileSync(file, JSON.stringify(document));
  return file;
}

/** @param providers of secrets; undefined: no encryption */
async function replica(providers: readonly object[] | undefined, more: StartOptions = {}): Promise<Replica> {
  const flags = {
    "storage-migration-rate": 1_000_000,
    ...(providers && { "encryption-provider-config": configuration(providers) }),
    ...more.flags,
  };
  const server = await startServer({ store, ...more, flags });
  const made = { server, admin: new ApiClient(server, server.admin) };
  running.push(made);
  return made;
}

async function stop(made: Replica): Promise<void> {
  running = running.filter((each) => each !== made);
  made.admin.close();
  await made.server.stop();
}

/** Prefix of each value, up to the payload. */
async function beginnings(resource: string): Promise<readonly string[]> {
  const { items } = await store.range({ start: `/registry/core/${resource}/`, end: `/registry/core/${resource}0` });
  return items.map(({ value }) => /^(\{|(?:[^:]*:){5})/.exec(value.toString("latin1"))?.[0] ?? "");
}

const passwords = async ({ admin }: Replica) =>
  (await admin.get(SECRETS)).json.items.map(({ data }) => (data as { password: string }).password);

interface Row {
  readonly phase: string;
  readonly rewritten: number;
}

async function migrated({ admin }: Pick<Replica, "admin">): Promise<Row> {
  expect((await admin.post(MIGRATE, {})).code).toBe(202);
  for (;;) {
    const [row] = (JSON.parse((await admin.get(MIGRATE)).text) as { migrations: Row[] }).migrations;
    if (row !== undefined && row.phase !== "Pending" && row.phase !== "Running") return row;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test("values lie encrypted in the store, of the resources that are named alone, and are served as they were given", async () => {
  const made = await replica([sealedBy("secretbox", "one"), IDENTITY]);
  await made.admin.post(MAPS, { metadata: { name: "a" } });
  const { json } = await made.admin.post(SECRETS, secret("a"));
  expect([await beginnings("secrets"), new Set(await beginnings("configmaps"))]).toEqual([
    ["orch:enc:secretbox:v1:one:"],
    new Set(["{"]),
  ]);
  expect((await made.admin.get(`${SECRETS}/a`)).json).toEqual(json);
  expect(await passwords(await replica([sealedBy("secretbox", "one")]))).toEqual([PASSWORD]);
  const { text } = await made.admin.get("/metrics");
  expect(text).toMatch(
    /apiserver_storage_transformation_operations_total\{transformation_type="to_storage",transformer_prefix="orch:enc:secretbox:v1:one",status="OK"\} 1\n/,
  );
  expect(text).toContain('apiserver_storage_transformation_duration_seconds_count{transformation_type="from_storage"}');
});

test("large values are compressed before they are encrypted", async () => {
  const { admin } = await replica([sealedBy("aescbc", "one")]);
  const { code, json } = await admin.post(SECRETS, { ...secret("a"), stringData: { text: "long ".repeat(100_000) } });
  const { items } = await store.range({ start: "/registry/core/secrets/default/a" });
  expect([code, items[0]?.value.length]).toEqual([201, expect.any(Number)]);
  expect(items[0]?.value.length).toBeLessThan(50_000);
  expect((await (await replica([sealedBy("aescbc", "one")])).admin.get(`${SECRETS}/a`)).json).toEqual(json);
});

test.each(["aescbc", "aesgcm", "secretbox"])(
  "damaged values of %s are omitted from lists and affect no other objects",
  async (kind) => {
    const { admin } = await replica([sealedBy(kind, "one")]);
    await admin.post(SECRETS, secret("whole"));
    const [item] = (await store.range({ start: "/registry/core/secrets/default/whole" })).items;
    const value = item?.value as Buffer;
    const begin = `orch:enc:${kind}:v1:one:`.length;
    const lengths = [begin - 5, begin, begin + 1, begin + 16, begin + 40, value.length - 1];
    const damaged = [
      ...lengths.map((length) => value.subarray(0, length)),
      Buffer.concat([value, Buffer.from([0])]),
      Buffer.concat([value.subarray(0, begin), Buffer.alloc(1024 * 1024, 0x7b)]),
      // Encrypted twice, as a manual copy may produce.
      Buffer.concat([value.subarray(0, begin), value]),
    ];
    const puts = damaged.map((each, at) => ({
      ...{ kind: "put" as const, key: `/registry/core/secrets/default/d${at}`, value: each },
    }));
    await store.txn({ compare: [], then: puts });
    const list = await admin.get(SECRETS);
    expect(list.json.items.map(({ metadata }) => metadata.name)).toEqual(["whole"]);
    expect(list.headers["warning"]).toContain(`${damaged.length} of secrets cannot be read`);
    for (const at of damaged.keys()) expect((await admin.get(`${SECRETS}/d${at}`)).code).toBe(500);
    expect((await admin.delete(SECRETS)).code).toBe(200);
    expect(await beginnings("secrets")).toEqual([]);
  },
);

test("keys are exchanged under two replicas, step by step, while both serve", async () => {
  const none = await replica(undefined);
  for (const name of ["a", "b"]) await none.admin.post(SECRETS, secret(name));
  await stop(none);

  const steps: readonly (readonly object[])[] = [
    [IDENTITY, sealedBy("aescbc", "one")],
    [sealedBy("aescbc", "one"), IDENTITY],
    [sealedBy("aescbc", "one"), sealedBy("aesgcm", "two"), IDENTITY],
    [sealedBy("aesgcm", "two"), sealedBy("aescbc", "one")],
    [sealedBy("aesgcm", "two")],
    [sealedBy("aesgcm", "two"), IDENTITY],
    [IDENTITY, sealedBy("aesgcm", "two")],
  ];
  const first = steps[0] as readonly object[];
  let [here, there] = [await replica(first), await replica(first)];
  const seen: string[] = [];
  let count = 2;
  for (const step of steps.slice(1)) {
    await stop(here);
    here = await replica(step);
    // Between the steps of the two replicas each writes in its own way and reads the other's values.
    const { resourceVersion } = (await here.admin.get(SECRETS)).json.metadata;
    const watch = await here.admin.watch(`${SECRETS}?watch=1&resourceVersion=${resourceVersion}`);
    const { json: mine } = await here.admin.post(SECRETS, secret(`s${count++}`));
    const { json: theirs } = await there.admin.post(SECRETS, secret(`s${count++}`));
    expect((await there.admin.get(`${SECRETS}/${mine.metadata.name}`)).json).toEqual(mine);
    expect((await here.admin.get(`${SECRETS}/${theirs.metadata.name}`)).json).toEqual(theirs);
    expect(await passwords(here)).toEqual(Array(count).fill(PASSWORD));
    await stop(there);
    there = await replica(step);
    const row = await migrated(there);
    expect(row).toMatchObject({ phase: "Succeeded", objects: count });
    const events = await watch.take(2 + row.rewritten);
    expect(events.slice(0, 2)).toEqual([`ADDED ${mine.metadata.name}`, `ADDED ${theirs.metadata.name}`]);
    expect(events.slice(2).filter((event) => !event.startsWith("MODIFIED "))).toEqual([]);
    watch.close();
    const all = new Set(await beginnings("secrets"));
    expect(all.size).toBe(1);
    seen.push([...all].join());
    expect(await passwords(here)).toEqual(Array(count).fill(PASSWORD));
  }
  const one = "orch:enc:aescbc:v1:one:";
  const two = "orch:enc:aesgcm:v1:two:";
  expect(seen).toEqual([one, one, two, two, two, "{"]);
  await stop(here);
  expect(await passwords(await replica(undefined))).toEqual(Array(count).fill(PASSWORD));
}, 60_000);

test("an update that changes nothing brings a value under the present key, and only once", async () => {
  const former = await replica([sealedBy("aescbc", "one")]);
  const { json } = await former.admin.post(SECRETS, secret("a"));
  await stop(former);
  const { admin } = await replica([sealedBy("aescbc", "two", "one")]);
  const again = await admin.put(`${SECRETS}/a`, json);
  expect(again.json.metadata.resourceVersion).not.toBe(json.metadata.resourceVersion);
  expect(await beginnings("secrets")).toEqual(["orch:enc:aescbc:v1:two:"]);
  const once = await admin.put(`${SECRETS}/a`, again.json);
  expect(once.json.metadata.resourceVersion).toBe(again.json.metadata.resourceVersion);
});

test("an object that cannot be decrypted returns an error with its name and can be deleted", async () => {
  const lost = await replica([sealedBy("aescbc", "lost")]);
  await lost.admin.post(SECRETS, secret("a"));
  await stop(lost);
  const lines: string[] = [];
  const say = (...words: readonly unknown[]) => lines.push(JSON.stringify(words));
  const logger: Logger = { debug: say, info: say, warn: say, error: say } as unknown as Logger;
  const { admin } = await replica([{ aescbc: { keys: [{ ...key("lost"), secret: key("other").secret }] } }, IDENTITY], {
    logger,
  });
  await admin.post(SECRETS, secret("b"));
  const list = await admin.get(SECRETS);
  expect([list.code, list.json.items.map(({ metadata }) => metadata.name)]).toEqual([200, ["b"]]);
  expect(list.headers["warning"]).toContain("1 of secrets cannot be read and is missing in this answer: default/a");
  const { code, json } = await admin.get(`${SECRETS}/a`);
  expect([code, json.reason]).toEqual([500, "InternalError"]);
  expect(json.message).toMatch(
    /the stored object secrets "default\/a" cannot be read: .*; until its encryption key is available again, it can only be deleted/,
  );
  expect((await admin.put(`${SECRETS}/a`, secret("a"))).code).toBe(500);
  expect(await migrated({ admin })).toMatchObject({
    phase: "Failed",
    message: "1 cannot be read: default/a",
  });
  for (const told of [...lines, json.message]) {
    expect(told).not.toContain(PASSWORD);
    expect(told).not.toContain(key("other").secret);
  }
  expect((await admin.delete(`${SECRETS}/a`)).code).toBe(200);
  expect((await admin.get(SECRETS)).headers["warning"]).toBeUndefined();
});

test("an encrypted value without a configured provider is not read as an object", async () => {
  await (await replica([sealedBy("aesgcm", "one")])).admin.post(SECRETS, secret("a"));
  const { admin } = await replica(undefined, {
    flags: {
      "encryption-provider-config": configuration([], {
        resources: [{ resources: ["configmaps"], providers: [IDENTITY] }],
      }),
    },
  });
  expect((await admin.get(`${SECRETS}/a`)).json.message).toContain("no matching prefix found");
});

describe("the options", () => {
  const startedWith = (flags: NonNullable<StartOptions["flags"]>) => replica(undefined, { flags });
  const rejection = async (flags: NonNullable<StartOptions["flags"]>) => {
    const error = await startedWith(flags).then(
      () => undefined,
      (thrown: Error) => thrown.message,
    );
    return error;
  };

  test("refuse to start with a file that cannot be used, and say which, which field, and why", async () => {
    const file = configuration([{ aesgcm: { keys: [{ name: "a", secret: "c2hvcnQ=" }] } }]);
    expect(await rejection({ "encryption-provider-config": file })).toBe(
      `--encryption-provider-config: ${file}: resources[0].providers[0].aesgcm.keys[0].secret: Invalid value: "REDACTED": ` +
        "secret is not of the expected length, got 5, expected one of [16 24 32]",
    );
    const long = configuration([sealedBy("aescbc", "x".repeat(3 * 1024 * 1024))]);
    expect(await rejection({ "encryption-provider-config": long })).toMatch(
      /: it has \d+ bytes; at most 65536 are allowed$/,
    );
    const gone = join(folder, "gone");
    expect(await rejection({ "encryption-provider-config": gone })).toContain(
      `--encryption-provider-config: ${gone}: ENOENT`,
    );
    expect(await rejection({ "encryption-provider-config-automatic-reload": true })).toBe(
      "--encryption-provider-config-automatic-reload requires --encryption-provider-config",
    );
    const both = { "encryption-provider-config": file, "experimental-encryption-provider-config": file };
    expect(await rejection(both)).toContain("is the old name of --encryption-provider-config");
  });

  test("take the old name", async () => {
    const file = configuration([sealedBy("aescbc", "one")]);
    const { admin } = await startedWith({ "experimental-encryption-provider-config": file });
    await admin.post(SECRETS, secret("a"));
    expect(await beginnings("secrets")).toEqual(["orch:enc:aescbc:v1:one:"]);
  });
});
