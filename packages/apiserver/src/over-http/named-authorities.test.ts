// Certificate authorities that the TLS handshake names to clients.
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "../server/start-server";

const HANDSHAKE_RECORD = 22;
const CERTIFICATE_REQUEST = 13;
/** Maximum time until the process is idle, with a margin. */
const TOLD_WITHIN_MS = 40_000;

let server: RunningServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.stop());

test("certificates of the client's choice are taken at once, and soon it is told whose count", async () => {
  const first = await requestOfCertificate();
  expect(first).toBeDefined();
  const until = Date.now() + TOLD_WITHIN_MS;
  let last = first;
  while (namesIn(last) === 0 && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    last = await requestOfCertificate();
  }
  expect(namesIn(last)).toBeGreaterThan(0);
  expect(last?.toString("latin1")).toContain("apiserver-ca");
}, 60_000);

/**
 * Returns the CertificateRequest of a TLS 1.2 handshake, which is not encrypted.
 * @returns undefined when the server requests no certificate
 */
async function requestOfCertificate(): Promise<Buffer | undefined> {
  const sent: Buffer[] = [];
  const between = createServer((client) => {
    const toServer = connect(server.port, "127.0.0.1");
    toServer.on("data", (bytes: Buffer) => sent.push(bytes));
    client.pipe(toServer).pipe(client);
    for (const socket of [client, toServer]) socket.on("error", () => {});
  });
  between.listen(0, "127.0.0.1");
  await once(between, "listening");
  const { port } = between.address() as AddressInfo;
  const tls = connectTls({
    port,
    host: "127.0.0.1",
    ca: server.ca,
    maxVersion: "TLSv1.2",
    ...server.admin,
    cert: server.admin.certificate,
  });
  await once(tls, "secureConnect");
  tls.destroy();
  between.close();
  return messagesIn(Buffer.concat(sent)).find(({ type }) => type === CERTIFICATE_REQUEST)?.body;
}

/** Returns the readable handshake messages. */
function messagesIn(bytes: Buffer): readonly { readonly type: number; readonly body: Buffer }[] {
  const parts: Buffer[] = [];
  for (let at = 0; bytes[at] === HANDSHAKE_RECORD; at += 5 + bytes.readUInt16BE(at + 3))
    parts.push(bytes.subarray(at + 5, at + 5 + bytes.readUInt16BE(at + 3)));
  const handshake = Buffer.concat(parts);
  const messages = [];
  for (let at = 0; at + 4 <= handshake.length; at += 4 + handshake.readUIntBE(at + 1, 3))
    messages.push({
      type: handshake[at] as number,
      body: handshake.subarray(at + 4, at + 4 + handshake.readUIntBE(at + 1, 3)),
    });
  return messages;
}

/** Length of the authority names, after certificate types and algorithms. Source: RFC 5246, 7.4.4. */
function namesIn(request: Buffer | undefined): number {
  if (request === undefined) return 0;
  const algorithmsAt = 1 + (request[0] as number);
  return request.readUInt16BE(algorithmsAt + 2 + request.readUInt16BE(algorithmsAt));
}
