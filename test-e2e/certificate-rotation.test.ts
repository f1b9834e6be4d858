// Changed certificate files take effect without a restart, and open connections stay open.
import { copyFileSync } from "node:fs";
import { connect } from "node:tls";
import { expect, test } from "@jest/globals";
import { startApiServer } from "./harness/api-server";
import { configMapsPath, expectStatus } from "./harness/config-maps";
import { Authority } from "./harness/credentials";
import { eventually } from "./harness/eventually";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();

function servedFingerprint(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? "");
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

test("a new serving certificate is used, a watch that is open goes on", async () => {
  const authority = new Authority(workplace);
  const server = await startApiServer(workplace, { authority, store: { kind: "memory" } });
  const watch = await server.admin.watch(`${configMapsPath()}?resourceVersion=0`);
  const before = await servedFingerprint(server.port);
  const current = authority.issue("apiserver");
  const next = authority.issue("next");
  copyFileSync(next.key, current.key);
  copyFileSync(next.cert, current.cert);
  await eventually("the new certificate is served", async () => (await servedFingerprint(server.port)) !== before, {
    timeoutMs: 90_000,
    pauseMs: 500,
  });
  expect((await server.admin.get("/readyz")).status).toBe(200);
  await expectStatus(
    201,
    server.admin.post(configMapsPath(), { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "after" } }),
  );
  let event = await watch.next();
  while (event !== undefined && event.object.metadata.name !== "after") event = await watch.next();
  expect(event?.type).toBe("ADDED");
  watch.close();
}, 120_000);

test("a client's certificate names its user and groups; one of another authority does not", async () => {
  const server = await startApiServer(workplace, { name: "by-certificate", store: { kind: "memory" } });
  const admin = server.client(server.authority.user("root", ["system:masters"]));
  expect((await admin.get("/api/v1/namespaces")).status).toBe(200);
  const jane = await server.client(server.authority.user("jane", ["developers"])).get("/api/v1/namespaces");
  expect(jane.status).toBe(403);
  expect(jane.statusBody().message).toContain('User "jane" cannot list resource "namespaces"');

  const stranger = new Authority(workplace).user("root", ["system:masters"]);
  const refused = await server.client({ ...stranger, ca: server.admin.credentials.ca }).get("/api/v1/namespaces");
  expect([401, 403]).toContain(refused.status);
  expect((await server.client({ ...server.authority.anonymous(), token: "guess" }).get("/api")).status).toBe(401);
}, 60_000);
