import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type KeyValue, openStore, restoreBackup, type Store } from "@orch/store";
import { backupHandler } from "../handlers/backup-handler";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";

const MAPS = "/api/v1/namespaces/default/configmaps";
const EVERYTHING = { start: "", end: "\0" };
const root = mkdtempSync(join(tmpdir(), "backup-"));
let folders = 0;
const newFolder = () => join(root, `${folders++}`);
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Members of an item that do not depend on the kind of store. */
const known = ({ key, value, createRevision, modRevision, version, lease }: KeyValue) => ({
  key,
  value,
  createRevision,
  modRevision,
  version,
  lease,
});

/** Opens a store with a backup's items and returns its recorded revision. */
async function restored(bytes: Buffer) {
  const [file, directory] = [newFolder(), newFolder()];
  writeFileSync(file, bytes);
  const { revision, objects } = await restoreBackup(file, directory);
  const store = await openStore({ kind: "embedded", directory });
  const { items, revision: now } = await store.range(EVERYTHING);
  await store.close();
  expect(items).toHaveLength(objects);
  return { revision, now, items };
}

describe.each(["memory", "embedded"] as const)("a backup of a server with a store that is %s", (kind) => {
  let store: Store;
  let server: RunningServer;
  let admin: ApiClient;
  beforeAll(async () => {
    store = await openStore(kind === "memory" ? { kind } : { kind, directory: newFolder() });
    server = await startServer({ store });
    admin = new ApiClient(server, server.admin);
  });
  afterAll(async () => {
    admin.close();
    await server.stop();
    await store.close();
  });

  test("taken under load is what there was at one revision, and restores", async () => {
    let running = true;
    const write = async (writer: number) => {
      for (let count = 0; running; count += 1) {
        const metadata = { name: `w${writer}-${count % 50}` };
        const data = { text: `${count} `.repeat(200) };
        const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data };
        const { code } = await admin.put(`${MAPS}/${metadata.name}`, object);
        if (code === 404) await admin.post(MAPS, object);
        if (count % 7 === 0) await admin.delete(`${MAPS}/${metadata.name}`);
      }
    };
    const writers = Array.from({ length: 4 }, (_, writer) => write(writer));
    const backups: Buffer[] = [];
    for (let count = 0; count < 3; count += 1) {
      const answer = await admin.get("/debug/backup");
      expect([answer.code, answer.headers["content-type"]]).toEqual([200, "application/octet-stream"]);
      backups.push(answer.bytes);
      const { revision } = await store.status();
      while ((await store.status()).revision < revision + 50) await new Promise(setImmediate);
    }
    running = false;
    await Promise.all(writers);

    const revisions: number[] = [];
    for (const bytes of backups) {
      const { revision, now, items } = await restored(bytes);
      revisions.push(revision);
      const then = await store.range({ ...EVERYTHING, revision });
      // Leases are granted again under the same ids.
      expect(items.map(known)).toEqual(then.items.map(known));
      // The revision of the next write was never seen by a client.
      expect(now).toBeGreaterThan((await store.status()).revision);
    }
    expect(new Set(revisions).size).toBe(3);
  }, 120_000);

  test("is for those who may read the path", async () => {
    const user = new ApiClient(server, server.issueClient({ name: "somebody" }));
    expect((await user.get("/debug/backup")).code).toBe(403);
    user.close();
    expect((await admin.ask("POST", "/debug/backup")).code).toBe(405);
    const head = await admin.ask("HEAD", "/debug/backup");
    expect([head.code, head.bytes.length]).toEqual([200, 0]);
  });

  test("that is broken off is none, and one for which there is a store already is refused", async () => {
    const { bytes } = await admin.get("/debug/backup");
    for (const length of [0, 10, 100, bytes.length / 2, bytes.length - 1]) {
      await expect(restored(bytes.subarray(0, length))).rejects.toMatchObject({ name: "StoreOpenError" });
    }
    // Within an object: the fill bytes between two frames have no content, and no checksum.
    const at = bytes.indexOf('"metadata"', bytes.length >> 1);
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] as number) ^ 1;
    await expect(restored(changed)).rejects.toMatchObject({ problem: "damaged" });
    const [file, directory] = [newFolder(), newFolder()];
    writeFileSync(file, bytes);
    await restoreBackup(file, directory);
    await expect(restoreBackup(file, directory)).rejects.toMatchObject({ problem: "exists" });
    await expect(restoreBackup(newFolder(), newFolder())).rejects.toMatchObject({ problem: "missing" });
  });

  test("a slow reader of a backup does not delay other requests", async () => {
    const key = "/registry/core/configmaps/default/large";
    for (let count = 0; count < 40; count += 1) {
      const value = Buffer.alloc(1 << 20, "x");
      await store.txn({ compare: [], then: [{ kind: "put", key: `${key}-${count}`, value }] });
    }
    const { ca, url, admin: as } = server;
    const first = await new Promise<Buffer>((resolve, reject) => {
      const sent = request(`${url}/debug/backup`, { ca, cert: as.certificate, key: as.key, agent: false }, (answer) => {
        answer.once("data", (piece: Buffer) => {
          answer.pause();
          resolve(piece);
        });
        answer.on("error", () => {});
        slow = () => answer.destroy();
      });
      sent.on("error", reject);
      sent.end();
    });
    expect(first.subarray(0, 4).toString()).toBe("ORJB");
    for (let count = 0; count < 20; count += 1) expect((await admin.get(`${MAPS}?limit=1`)).code).toBe(200);
    slow();
    for (let count = 0; count < 40; count += 1) {
      await store.txn({ compare: [], then: [{ kind: "delete", start: `${key}-${count}` }] });
    }
  });
  let slow: () => void = () => {};
});

test("a backup request on etcd names etcdctl", async () => {
  const { backup: _, ...without } = bound(await openStore({ kind: "memory" }));
  const server = await startServer({ store: without });
  const admin = new ApiClient(server, server.admin);
  const { code, json } = await admin.get("/debug/backup");
  expect([code, json.reason]).toEqual([400, "BadRequest"]);
  expect(json.message).toContain("etcdctl snapshot save");
  admin.close();
  await server.stop();
});

test("a refused backup tells the flags that name etcd", async () => {
  const etcd = { "etcd-servers": ["http://one:2379", "http://two:2379"], "etcd-cafile": "/pki/etcd-ca.crt" };
  const refuse = backupHandler({
    store: {},
    etcd: { ...etcd, "etcd-certfile": "", "etcd-keyfile": "" },
    logger: { info: () => {}, warn: () => {} },
  });
  const causes = [
    { field: "etcd-servers", message: "http://one:2379,http://two:2379" },
    { field: "etcd-cafile", message: "/pki/etcd-ca.crt" },
  ];
  await expect(refuse({} as never, {} as never)).rejects.toMatchObject({ code: 400, details: { causes } });
});

/** The store as a plain object, so that a test can omit members. */
function bound(store: Store): Store {
  const names = [
    "range",
    "txn",
    "watch",
    "compact",
    "grantLease",
    "keepLeaseAlive",
    "revokeLease",
    "status",
    "close",
  ] as const;
  const members = names.map((name) => [name, (store[name] as (...args: unknown[]) => unknown).bind(store)]);
  return { ...(Object.fromEntries(members) as unknown as Store), endpoints: store.endpoints };
}
