// The transport with the library against a server that violates the protocol of etcd.
import { createServer, type ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { expect, test } from "@jest/globals";
import { grpcJsTransport } from "./grpc-js-transport";
import { GrpcError } from "./transport";

const RESOURCE_EXHAUSTED = 8;
const LONGEST = Buffer.from([0, 255, 255, 255, 255]);

test("a frame that announces four gigabytes fails the call without waiting for them", async () => {
  const sessions: ServerHttp2Session[] = [];
  const server = createServer();
  server.on("session", (session) => sessions.push(session.on("error", () => {})));
  server.on("stream", (stream) => {
    stream.on("error", () => {});
    stream.respond({ ":status": 200, "content-type": "application/grpc" });
    // The stream stays open: the rest of the message could follow.
    stream.write(Buffer.concat([LONGEST, Buffer.alloc(100)]));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connection = await grpcJsTransport()({ url, tls: false }, 10_000);
  try {
    const called = connection.call("/etcdserverpb.KV/Range", Buffer.alloc(5), { timeoutMs: 30_000, repeatable: false });
    const problem = await called.catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(GrpcError);
    expect(problem).toMatchObject({ status: RESOURCE_EXHAUSTED });
  } finally {
    connection.destroy();
    for (const session of sessions) session.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
});
