// Snapshots of a real etcd over both transports, and their checks.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { garbageCollector } from "@orch/testing";
import type { Store } from "../contract/contract";
import { openStore } from "../open-store";
import { type EtcdProcesses, startEtcd } from "../testing/etcd-processes";
import { isEtcdSnapshot, SnapshotCheck } from "./snapshot-check";

const VALUE_BYTES = 512 * 1024;
const VALUES = 120;
const CALLS = 300;

/** A small snapshot, for many small pieces. */
const shortSnapshot = (() => {
  const database = Buffer.alloc(4096, 7);
  return Buffer.concat([database, createHash("sha256").update(database).digest()]);
})();

let etcd: EtcdProcesses;
beforeAll(async () => {
  etcd = await startEtcd();
  const store = await openStore({ kind: "etcd", endpoints: etcd.endpoints });
  for (let at = 0; at < VALUES; at += 1)
    await store.txn({ compare: [], then: [{ kind: "put", key: `/k${at}`, value: Buffer.alloc(VALUE_BYTES, at) }] });
  await store.close();
}, 60_000);
afterAll(() => etcd.stop());

const piecesOf = (store: Store, signal?: AbortSignal) =>
  (store.snapshot as NonNullable<Store["snapshot"]>).call(store, signal && { signal });

describe.each(["direct", "grpc-js"] as const)("a snapshot over %s", (transport) => {
  const open = () => openStore({ kind: "etcd", endpoints: etcd.endpoints, transport });

  test("ends with the sum of its content, and damage is found", async () => {
    const store = await open();
    const pieces: Buffer[] = [];
    for await (const piece of piecesOf(store)) pieces.push(piece);
    await store.close();
    const whole = Buffer.concat(pieces);
    expect(isEtcdSnapshot(whole)).toBe(true);
    expect(whole.length).toBeGreaterThan(VALUES * VALUE_BYTES);
    const checked = (bytes: Buffer, size: number) => {
      const check = new SnapshotCheck("it");
      for (let at = 0; at < bytes.length; at += size) check.push(bytes.subarray(at, at + size));
      check.finish();
    };
    for (const size of [7, 32, 33, 100_000]) checked(size < 1000 ? shortSnapshot : whole, size);
    expect(() => checked(whole.subarray(0, -1), 65_536)).toThrow("it is not a complete snapshot");
    whole.writeUInt8(whole.readUInt8(9000) ^ 1, 9000);
    expect(() => checked(whole, 65_536)).toThrow("it is damaged: its checksum");
  });

  test("is sent at the pace of its reader, and other calls are answered meanwhile", async () => {
    const store = await open();
    const collectGarbage = garbageCollector();
    collectGarbage();
    const before = process.memoryUsage().arrayBuffers;
    let count = 0;
    for await (const _ of piecesOf(store)) {
      count += 1;
      if (count > 1) continue;
      // Pieces that are sent ahead arrive during these calls, which take as long as the whole snapshot.
      for (let call = 0; call < CALLS; call += 1) await store.range({ start: "/k1", keysOnly: true });
      collectGarbage();
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan((VALUES * VALUE_BYTES) / 2);
    }
    await store.close();
    expect(count).toBeGreaterThan(100);
  });

  test("ends when its reader stops or the caller cancels it", async () => {
    const store = await open();
    for await (const _ of piecesOf(store)) break;
    const stop = new AbortController();
    const cancelled = (async () => {
      for await (const _ of piecesOf(store, stop.signal)) stop.abort();
    })();
    await expect(cancelled).rejects.toMatchObject({ code: "cancelled" });
    await store.close();
  });
});
