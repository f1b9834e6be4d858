// An audit webhook whose answers are larger than the server reads.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { startServer } from "../server/start-server";
import { ApiClient, CONFIG_MAPS } from "../testing/api-client";
import { endless, remoteService } from "../testing/remote-service";

const MEBIBYTE = 1024 * 1024;

test("an answer without an end is not read", async () => {
  const folder = mkdtempSync(join(tmpdir(), "audit-webhook-"));
  let ended: (bytes: number) => void;
  const read = new Promise<number>((resolve) => {
    ended = resolve;
  });
  const webhook = await remoteService((request, _body, response) => {
    const { socket } = request;
    socket.once("close", () => ended(socket.bytesWritten));
    endless(response);
  });
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const policy = { apiVersion: "audit.orch.io/v1", kind: "Policy", rules: [{ level: "Metadata", verbs: ["create"] }] };
  const server = await startServer({
    flags: {
      "audit-policy-file": file("policy.json", JSON.stringify(policy)),
      "audit-webhook-config-file": file("webhook.json", webhook.configuration()),
      "audit-webhook-mode": "blocking",
      "audit-webhook-initial-backoff": 1,
    },
  });
  const admin = new ApiClient(server, server.admin);
  expect((await admin.post(CONFIG_MAPS, { metadata: { name: "one" } })).code).toBe(201);
  expect(await read).toBeLessThan(32 * MEBIBYTE);
  admin.close();
  await webhook.close();
  await server.stop();
  rmSync(folder, { recursive: true });
}, 60_000);
