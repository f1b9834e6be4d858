// Client certificates that are revoked while their users are connected.
import { createHash, X509Certificate } from "node:crypto";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { KeyAndCertificate } from "@orch/platform";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient, CONFIG_MAPS } from "../testing/api-client";

const folder = mkdtempSync(join(tmpdir(), "revocation-"));
const file = join(folder, "revoked");
let server: RunningServer;
let admin: ApiClient;

beforeAll(async () => {
  writeFileSync(file, "# nobody yet\n");
  server = await startServer({ flags: { "client-revocation-file": file } });
  admin = new ApiClient(server, server.admin);
});
afterAll(async () => {
  admin.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

const GROUPS = { groups: ["system:masters"] };
const issue = (name: string): KeyAndCertificate => server.issueClient({ name, ...GROUPS });
const serialOf = ({ certificate }: KeyAndCertificate): string => new X509Certificate(certificate).serialNumber;

/** Replaces the file atomically. @returns when the file is in force or rejected */
async function replace(text: string, result: "success" | "failure" = "success"): Promise<void> {
  const before = await reloads(result);
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
  while ((await reloads(result)) === before) await new Promise((resolve) => setTimeout(resolve, 50));
}

async function reloads(result: string): Promise<number> {
  const { text } = await admin.get("/metrics");
  const line = new RegExp(
    `^apiserver_configuration_reloads_total{option="client-revocation-file",result="${result}"} (\\d+)`,
    "m",
  );
  return Number(line.exec(text)?.[1] ?? 0);
}

test("connections and watches of a revoked certificate end, new ones are rejected, and others are not affected", async () => {
  const [ann, bob] = [issue("ann"), issue("bob")];
  const [asAnn, asBob] = [new ApiClient(server, ann), new ApiClient(server, bob)];
  const watches = [await asAnn.watch(`${CONFIG_MAPS}?watch=1`), await asBob.watch(`${CONFIG_MAPS}?watch=1`)] as const;
  expect((await asAnn.get(CONFIG_MAPS)).code).toBe(200);
  await replace(`${serialOf(ann)} # left\n`);
  expect(await watches[0].next()).toBeUndefined();
  await expect(asAnn.get(CONFIG_MAPS)).rejects.toThrow();
  expect((await admin.post(CONFIG_MAPS, { metadata: { name: "seen" } })).code).toBe(201);
  expect(await watches[1].take(1)).toEqual(["ADDED seen"]);
  const { text } = await admin.get("/metrics");
  expect(text).toMatch(/^apiserver_connections_closed_total{reason="revoked"} [1-9]/m);

  // A file that is unreadable or being written changes nothing.
  for (const text of ["ann\n", ""]) await replace(text, "failure");
  await expect(asAnn.get(CONFIG_MAPS)).rejects.toThrow();
  expect((await asBob.get(CONFIG_MAPS)).code).toBe(200);
  // A new certificate of the same user is not revoked.
  const again = new ApiClient(server, issue("ann"));
  expect((await again.get(CONFIG_MAPS)).code).toBe(200);

  const { publicKey } = new X509Certificate(bob.certificate);
  const hash = createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("hex");
  await replace(`${hash}\n`);
  expect(await watches[1].next()).toBeUndefined();
  await expect(asBob.get(CONFIG_MAPS)).rejects.toThrow();
  expect((await asAnn.get(CONFIG_MAPS)).code).toBe(200);
  await replace("# nobody any more\n");
  expect((await asBob.get(CONFIG_MAPS)).code).toBe(200);
  for (const client of [asAnn, asBob, again]) client.close();
});

test("a server does not start with a file that it cannot read", async () => {
  const flags = { "client-revocation-file": join(folder, "none") };
  await expect(startServer({ flags })).rejects.toThrow(/^--client-revocation-file: ENOENT/);
  const wrong = join(folder, "wrong");
  writeFileSync(wrong, "01\nnobody\n");
  await expect(startServer({ flags: { "client-revocation-file": wrong } })).rejects.toThrow(
    /^--client-revocation-file: line 2: must be a serial number/,
  );
});
