import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Readable } from "node:stream";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { runInProcess } from "@orch/testing";
import { TestAuthority } from "../testing/local-server";
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

const TLS_SERVER = `
  const server = require("node:https").createServer(SERVING, (request, response) => {
    request.resume().once("end", () => response.end(String(opened)));
  });
  let opened = 0;
  server.on("secureConnection", () => {
    opened += 1;
  });
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
`;

test("a connection is kept whose answer comes before this process has heard that all was sent", async () => {
  const authority = new TestAuthority();
  const { certificate: cert, key } = authority.issue("server", "--host", "127.0.0.1");
  const child = runInProcess(__dirname, TLS_SERVER.replace("SERVING", JSON.stringify({ cert, key })));
  try {
    const [port] = await once(child.stdout as Readable, "data");
    const tls = { ca: authority.ca, servername: "" };
    const connections = new Http1Connections(new URL(`https://127.0.0.1:${String(port).trim()}`), tls);
    const { signal } = new AbortController();
    const ask = () => connections.request({ method: "POST", path: "/", headers: {}, body: "question", signal });
    const said: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      const answer = ask();
      // The server answers while this event loop is blocked.
      if (count > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
      said.push(await readBody((await answer).body));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(said).toEqual(["1", "1", "1", "1", "1"]);
    connections.destroy();
  } finally {
    child.kill();
    authority.remove();
  }
});

test("idle connections are kept up to the maximum and reused by the next requests", async () => {
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
    // Connections are released in a separate turn.
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(opened).toBe(40);
  connections.destroy();
});
