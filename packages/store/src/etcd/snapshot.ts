// A snapshot of etcd: its database as a stream of pieces, then a SHA-256 sum. The member sends at most a window ahead of
// the reader. Source: etcd documentation, "Disaster recovery"; etcd/server/etcdserver/api/v3rpc/maintenance.go.
import type { EndSignal } from "@orch/platform";
import * as etcd from "../generated/etcd";
import { type Connection, GRPC_STATUS, GrpcError } from "./transport";
import { decode, encode } from "./wire";

const METHOD = "/etcdserverpb.Maintenance/Snapshot";

/** Reads a snapshot over a connection of its own, which the caller closes. @throws GrpcError */
export async function* snapshotOver(connection: Connection, signal?: EndSignal): AsyncGenerator<Buffer> {
  const messages: Buffer[] = [];
  let end: GrpcError | "completed" | undefined;
  let wake = (): void => {};
  const endWith = (how: GrpcError | "completed"): void => {
    end ??= how;
    wake();
  };
  const handlers = {
    message(bytes: Buffer) {
      // The transport uses the memory again.
      messages.push(Buffer.from(bytes));
      wake();
    },
    completed: () => endWith("completed"),
    end: endWith,
  };
  const abort = (): void => {
    messages.length = 0;
    endWith(new GrpcError(GRPC_STATUS.cancelled, "canceled by the caller", true));
  };
  const stream = connection.stream(METHOD, handlers, { isPaced: true });
  signal?.addEventListener("abort", abort);
  try {
    if (signal?.aborted === true) abort();
    else stream.send(encode(etcd.SnapshotRequest, {}), true);
    for (;;) {
      const message = messages.shift();
      if (message !== undefined) {
        const { blob } = decode(etcd.SnapshotResponse, message);
        if (blob !== undefined && blob.length > 0) yield blob;
        stream.processed(message.length);
      } else if (end === "completed") return;
      else if (end !== undefined) throw end;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    signal?.removeEventListener("abort", abort);
    stream.close();
  }
}
