import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Http1Connections } from "./http1-connections";
import { readBody } from "./read-body";

let server: Server;
let opened = 0;
beforeAll(async () => {
  server = createServer((_, response) => response.end("answer"));
  server.on("connection", () => {
    opened += 1;
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

test("as many connections are kept as may be open at a time: the next questions find them all", async () => {
  const { port } = server.address() as AddressInfo;
  const connections = new Http1Connections(new URL(`http://127.0.0.1:${port}`), undefined, { connectionsMax: 40 });
  const ask = async () => {
    const { signal } = new AbortController();
    const { body } = await connections.request({ method: "POST", path: "/", headers: {}, body: "question", signal });
    return readBody(body);
  };
  for (let round = 0; round < 3; round += 1) {
    const answers = await Promise.all(Array.from({ length: 40 }, ask));
    expect(new Set(answers)).toEqual(new Set(["answer"]));
    // Connections are given back in a turn of their own.
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(opened).toBe(40);
  connections.destroy();
});
