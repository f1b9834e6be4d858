// Errors of the store when an endpoint speaks HTTP/2 but is not etcd.

import { createServer, type Http2Server, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Store, StoreError } from "../contract/contract";
import * as etcd from "../generated/etcd";
import { openStore } from "../open-store";
import { encode } from "./wire";

const GARBAGE: readonly (readonly [string, Buffer])[] = [
  ["a frame of no message", Buffer.from([0, 0, 0, 0, 3, 0xff, 0xff, 0xff])],
  ["a field that ends beyond its message", Buffer.from([0, 0, 0, 0, 2, 0x0a, 0x7f])],
  ["a frame that claims four gigabytes", Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 1])],
  ["a compressed frame", Buffer.from([1, 0, 0, 0, 2, 0x0a, 0x00])],
];

let server: Http2Server;
let store: Store;
let answer: (stream: ServerHttp2Stream) => void;

describe("over direct", () => {
  beforeEach(async () => {
    server = createServer();
    server.on("stream", (stream: ServerHttp2Stream) => {
      stream.on("error", () => {});
      answer(stream);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    store = await openStore({ kind: "etcd", endpoints: [`http://127.0.0.1:${port}`], transport: "direct" });
  });
  afterEach(async () => {
    await store.close();
    server.close();
  });

  const begin = (stream: ServerHttp2Stream) =>
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });

  function answerWith(bytes: Buffer): void {
    answer = (stream) => {
      begin(stream);
      stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
      stream.end(bytes);
    };
  }

  test.each(GARBAGE)("%s is an internal error to readers, and an unknown outcome to writers", async (_what, bytes) => {
    answerWith(bytes);
    const bound = { timeoutMs: 5000 };
    const write = store.txn({ compare: [], then: [{ kind: "put", key: "a", value: Buffer.from("1") }] }, bound);
    await expect(write).rejects.toMatchObject({ name: "StoreError", code: "unknownOutcome" });
    await expect(store.range({ start: "a" }, bound)).rejects.toMatchObject({ name: "StoreError", code: "internal" });
    await expect(store.status(bound)).rejects.toMatchObject({ name: "StoreError", code: "internal" });
    await expect(store.keepLeaseAlive(1, bound)).rejects.toMatchObject({ name: "StoreError", code: "internal" });
  });

  test.each(GARBAGE)("%s interrupts a watch, which then goes on where it was", async (_what, bytes) => {
    let connections = 0;
    answer = (stream) => {
      begin(stream);
      connections += 1;
      stream.write(encode(etcd.WatchResponse, { header: { revision: 6 }, created: true }));
      if (connections === 1) stream.write(bytes);
      else stream.write(encode(etcd.WatchResponse, { events: [{ kv: { key: "a", modRevision: 7, version: 1 } }] }));
    };
    const interruptions: StoreError[] = [];
    const started: number[] = [];
    const seen = await new Promise<number>((resolve, reject) => {
      store.watch(
        { start: "a", fromRevision: 7 },
        {
          started: (revision) => started.push(revision),
          batch: ({ revision }) => resolve(revision),
          interrupted: (error) => interruptions.push(error),
          ended: reject,
        },
      );
    });
    expect(seen).toBe(7);
    expect(started).toEqual([7, 7]);
    expect(interruptions).toMatchObject([{ name: "StoreError", code: "internal" }]);
  });
});
