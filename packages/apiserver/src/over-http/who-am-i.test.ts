// SelfSubjectReview: the authenticated user as a resource.
import { createHash, X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { ADMIN_USER } from "@orch/http-server";
import { pki } from "node-forge";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";

const keys = pki.rsa.generateKeyPair(2048);
const request = pki.createCertificationRequest();
request.publicKey = keys.publicKey;
request.sign(keys.privateKey);
const REQUEST = Buffer.from(pki.certificationRequestToPem(request)).toString("base64");
const GROUPS = ["v1", "v1beta1"].map((version) => `/apis/authentication.orch.io/${version}`);

let server: RunningServer;
const clients: ApiClient[] = [];

function client(name?: string, groups: readonly string[] = []): ApiClient {
  const made = new ApiClient(server, name === undefined ? undefined : server.issueClient({ name, groups }));
  clients.push(made);
  return made;
}

const userOf = async (asking: ApiClient, headers: Record<string, string> = {}, group = GROUPS[0]) => {
  const { code, json } = await asking.post(`${group}/selfsubjectreviews`, { kind: "SelfSubjectReview" }, headers);
  return [code, (json.status as unknown as { userInfo?: object } | undefined)?.userInfo];
};

beforeAll(async () => {
  server = await startServer({ flags: { "emulated-release": "1.20", "authorization-mode": ["RBAC"] } });
});
afterAll(async () => {
  for (const each of clients) each.close();
  await server.stop();
});

test.each(GROUPS)("%s: every authenticated user receives name and groups", async (group) => {
  expect(await userOf(client("ann", ["devs"]), {}, group)).toEqual([
    201,
    { username: "ann", groups: ["devs", "system:authenticated"] },
  ]);
  const [code] = await userOf(client());
  expect(code).toBe(403);
});

test("an impersonated request returns the impersonated user", async () => {
  const admin = new ApiClient(server, server.admin);
  clients.push(admin);
  expect(await userOf(admin, { "impersonate-user": "bob", "impersonate-group": "ops" })).toEqual([
    201,
    { username: "bob", groups: ["ops", "system:authenticated"] },
  ]);
});

test.each(GROUPS)("%s lists the resource", async (group) => {
  const { json } = await client("ann").get(group);
  expect(JSON.stringify(json)).toContain('"selfsubjectreviews"');
});

test("since 1.32 the id of a client certificate is in reviews, signing requests and audit events", async () => {
  const folder = mkdtempSync(join(tmpdir(), "credential-ids-"));
  const [policy, log] = [join(folder, "policy.json"), join(folder, "audit.log")];
  writeFileSync(
    policy,
    JSON.stringify({ apiVersion: "audit.orch.io/v1", kind: "Policy", rules: [{ level: "Metadata" }] }),
  );
  const newer = await startServer({
    flags: {
      "emulated-release": "1.32",
      "audit-policy-file": policy,
      "audit-log-path": log,
      "audit-log-mode": "blocking-strict",
    },
  });
  const { certificate } = newer.admin;
  const id = createHash("sha256").update(new X509Certificate(certificate).raw).digest("hex");
  const extra = { "authentication.orch.io/credential-id": [`X509SHA256=${id}`] };
  const admin = new ApiClient(newer, newer.admin);
  try {
    const path = "/apis/certificates.orch.io/v1/certificatesigningrequests";
    const spec = { request: REQUEST, signerName: "example.com/any", usages: ["client auth"] };
    const { json } = await admin.post(path, { metadata: { name: "one" }, spec });
    expect(json.spec).toMatchObject({ username: ADMIN_USER, extra });
    expect(await userOf(admin)).toEqual([201, expect.objectContaining({ extra })]);
    expect(await userOf(admin, { "impersonate-user": "bob" })).toEqual([
      201,
      { username: "bob", groups: ["system:authenticated"] },
    ]);
  } finally {
    admin.close();
    await newer.stop();
  }
  const events = readFileSync(log, "utf8").trim().split("\n");
  const users = events.map((line) => (JSON.parse(line) as { user: { username: string; extra?: object } }).user);
  rmSync(folder, { recursive: true });
  const found = users.filter(({ username }) => username === ADMIN_USER);
  expect(found.length).toBeGreaterThan(0);
  expect(found.map((user) => user.extra)).toEqual(found.map(() => extra));
});
