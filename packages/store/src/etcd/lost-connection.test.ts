// A member of etcd that stops closes its connections. A write that it has certainly not seen is sent to another member.
import { expect, test } from "@jest/globals";
import * as etcd from "../generated/etcd";
import { EtcdStore } from "./etcd-store";
import { type Connection, GRPC_STATUS, GrpcError } from "./transport";
import { encode, FRAME_PREFIX_BYTES } from "./wire";

const ENDPOINTS = [
  { url: "http://one:2379", tls: false },
  { url: "http://two:2379", tls: false },
];
const REQUEST = { compare: [], then: [{ kind: "put", key: "/a", value: Buffer.from("1") }] } as const;

/** @param fails error of the first call, with which the connection closes */
function storeWhoseFirstConnectionFails(fails: GrpcError) {
  const asked: string[] = [];
  let connections = 0;
  const store = new EtcdStore(ENDPOINTS, async ({ url }) => {
    connections += 1;
    const isFirst = connections === 1;
    let open = true;
    const connection: Connection = {
      endpoint: url,
      get open() {
        return open;
      },
      silent: false,
      async call() {
        asked.push(isFirst ? "first" : "second");
        if (isFirst) {
          open = false;
          throw fails;
        }
        return encode(etcd.TxnResponse, { header: { revision: 7 }, succeeded: true }).subarray(FRAME_PREFIX_BYTES);
      },
      stream() {
        throw new Error("not used");
      },
      probe() {},
      retire() {},
      destroy() {},
    };
    return connection;
  });
  return { store, asked };
}

test("a write is sent again when the connection was closed before the member saw it", async () => {
  const unseen = new GrpcError(GRPC_STATUS.unavailable, "the connection was lost before the answer", false);
  const { store, asked } = storeWhoseFirstConnectionFails(unseen);
  expect(await store.txn(REQUEST)).toMatchObject({ succeeded: true, revision: 7 });
  expect(asked).toEqual(["first", "second"]);
  await store.close();
});

test("a write that the member may have seen is not sent again", async () => {
  const seen = new GrpcError(GRPC_STATUS.unavailable, "the connection was lost before the answer", true);
  const { store, asked } = storeWhoseFirstConnectionFails(seen);
  await expect(store.txn(REQUEST)).rejects.toMatchObject({ code: "unknownOutcome" });
  expect(asked).toEqual(["first"]);
  await store.close();
});

test("a write that its caller has ended is not sent again", async () => {
  const ended = new GrpcError(GRPC_STATUS.cancelled, "canceled by the caller", false);
  const { store, asked } = storeWhoseFirstConnectionFails(ended);
  await expect(store.txn(REQUEST)).rejects.toMatchObject({ code: "cancelled" });
  expect(asked).toEqual(["first"]);
  await store.close();
});
