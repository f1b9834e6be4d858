import { once } from "node:events";
import { createSecureServer, type ServerHttp2Session } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "@jest/globals";
import { makeCertificate } from "@orch/platform";
import { OpenConnections } from "./open-connections";

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
const SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
/** An unsolicited PING answer on a stream, which violates the protocol. */
const BROKEN = Buffer.from([0, 0, 8, 6, 1, 0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8]);
const CLIENTS = 200;
const AT_ONCE = 20;

test("sessions of clients that violate HTTP/2 and never acknowledge the settings are released", async () => {
  const { certificate, key } = makeCertificate({
    subject: { commonName: "server" },
    usage: { kind: "server", names: ["127.0.0.1"] },
    nowMs: Date.now(),
  });
  const server = createSecureServer({ cert: certificate, key, allowHTTP1: true });
  const all = new OpenConnections({
    max: 1000,
    maxPerAddress: 0,
    maxStreams: 250,
    idleMs: 60_000,
    now: Date.now,
    closed() {},
  });
  const sessions: WeakRef<ServerHttp2Session>[] = [];
  server.on("connection", (raw: Socket) => all.accept(raw));
  server.prependListener("secureConnection", (tls: TLSSocket) => all.secured(tls));
  server.on("session", (session: ServerHttp2Session) => {
    all.begun(session);
    sessions.push(new WeakRef(session));
  });
  server.on("sessionError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  for (let at = 0; at < CLIENTS; at += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, () => comeAndGo(port)));
  // Such a connection is no longer read, so that its end is not noticed: it is closed as idle some time later.
  for (const connection of all.values()) connection.close("idleness");
  while (all.size > 0) await nextTurn();
  const kept = () => sessions.filter((session) => session.deref() !== undefined).length;
  const collect = garbageCollector();
  for (let turn = 0; turn < 50 && kept() > 0; turn += 1) {
    await nextTurn();
    collect();
  }
  expect([sessions.length, kept()]).toEqual([CLIENTS, 0]);
  server.close();
});

/** Waits for the settings, violates the protocol, and leaves when the server closes. */
async function comeAndGo(port: number): Promise<void> {
  const client = connect({ port, host: "127.0.0.1", rejectUnauthorized: false, ALPNProtocols: ["h2"] });
  client.on("error", () => {});
  const closed = new Promise<void>((resolve) => client.once("close", () => resolve()));
  await once(client, "secureConnect");
  client.write(Buffer.concat([PREFACE, SETTINGS]));
  await once(client, "data");
  client.write(BROKEN);
  await nextTurn();
  client.end();
  client.destroy();
  await closed;
}

const nextTurn = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 5));

/** The function that `node --expose-gc` provides. */
function garbageCollector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}
