// Credentials do not appear in logs, errors, metrics, audit events or answers to other clients.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Logger, SILENT } from "@orch/observability";
import { type RunningServer, startServer } from "../server/start-server";
import { type Answer, ApiClient } from "../testing/api-client";

const folder = mkdtempSync(join(tmpdir(), "credentials-"));
const [tokenFile, policy, audit] = ["tokens.csv", "policy.yaml", "audit.log"].map((name) => join(folder, name)) as [
  string,
  string,
  string,
];
const CORE = "/api/v1/namespaces/default";
const REVIEWS = "/apis/authentication.orch.io/v1/tokenreviews";
const BOOTSTRAP = "abcdef.0123456789abcdef";

let server: RunningServer;
let admin: ApiClient;
let anybody: ApiClient;
let isOver = false;
const lines: string[] = [];
const answers: Answer[] = [];

const note = (message: string, fields?: object) => void lines.push(`${message} ${JSON.stringify(fields ?? {})}`);
const logger: Logger = { ...SILENT, info: note, warn: note, error: note, access: note, logsRequests: true };

beforeAll(async () => {
  writeFileSync(tokenFile, "static-s3cret-token,jane,7\n");
  writeFileSync(policy, "apiVersion: audit.orch.io/v1\nkind: Policy\nrules: [{ level: RequestResponse }]\n");
  server = await startServer({
    logger,
    flags: {
      "token-auth-file": tokenFile,
      "enable-bootstrap-token-auth": true,
      "audit-policy-file": policy,
      "audit-log-path": audit,
    },
  });
  admin = new ApiClient(server, server.admin);
  anybody = new ApiClient(server);
});
afterAll(async () => {
  admin.close();
  anybody.close();
  if (!isOver) await server.stop();
  rmSync(folder, { recursive: true });
});

const use = async (token: string, path = "/version") => {
  const answer = await anybody.get(path, { headers: { authorization: `Bearer ${token}` } });
  answers.push(answer);
  return answer.code;
};

const review = async (token: string, headers?: Record<string, string>) => {
  const answer = await admin.post(
    REVIEWS,
    { apiVersion: "authentication.orch.io/v1", kind: "TokenReview", spec: { token, audiences: ["x"] } },
    headers,
  );
  expect(answer.code).toBe(201);
};

test("each method's credentials, good and bad, stay with those who have them", async () => {
  expect((await admin.post(`${CORE}/serviceaccounts`, { metadata: { name: "robot" } })).code).toBe(201);
  const asked = await admin.post(`${CORE}/serviceaccounts/robot/token`, {
    apiVersion: "authentication.orch.io/v1",
    kind: "TokenRequest",
    spec: {},
  });
  const { token } = asked.json.status as unknown as { token: string };
  await admin.post("/api/v1/namespaces", { metadata: { name: "orch-system" } });
  const [id, half] = BOOTSTRAP.split(".") as [string, string];
  // The audit policy decides whether bodies of Secrets are recorded.
  const kept = await admin.post(`/api/v1/namespaces/orch-system/secrets`, {
    metadata: { name: `bootstrap-token-${id}` },
    type: "bootstrap.orch.io/token",
    data: Object.fromEntries(
      Object.entries({ "token-id": id, "token-secret": half, "usage-bootstrap-authentication": "true" }).map(
        ([key, text]) => [key, Buffer.from(text).toString("base64")],
      ),
    ),
  });
  expect(kept.code).toBe(201);

  const [head, body, signature] = token.split(".") as [string, string, string];
  const good = ["static-s3cret-token", token, BOOTSTRAP];
  const bad = [
    "static-s3cret-tokem",
    `${head}.${body}.${"A".repeat(signature.length)}`,
    `${head}.${Buffer.from('{"iss":"https://orch.default.svc","a":"s3cret-claim"}').toString("base64url")}.${signature}`,
    `${id}.fedcba9876543210`,
    "x".repeat(15_000),
    `${"s3cret-part.".repeat(3)}s3cret-part`,
  ];
  for (const each of good) expect(await use(each)).toBe(200);
  for (const each of bad) expect(await use(each)).toBe(401);
  for (const each of [...good, ...bad]) await review(each);
  await review(token, { "content-type": "application/json", accept: "application/yaml" });
  const yaml = `apiVersion: authentication.orch.io/v1\nkind: TokenReview\nspec: { token: ${token} }\n`;
  expect((await admin.post(REVIEWS, yaml, { "content-type": "application/yaml" })).code).toBe(201);
  const broken = await admin.post(REVIEWS, `{"kind":"TokenReview","spec":{"token":["${token}"]}}`);
  answers.push(broken);
  expect(broken.code).toBe(400);
  expect((await admin.post(`${CORE}/serviceaccounts/robot/token`, { spec: { expirationSeconds: 1 } })).code).toBe(422);
  const metrics = (await admin.get("/metrics")).text;
  for (const [name, least] of [
    ['authentication_attempts{result="error"}', bad.length],
    ['authentication_attempts{result="success"}', good.length],
    ['authentication_token_cache_request_total{status="hit"}', 1],
    ['authentication_token_cache_request_total{status="miss"}', good.length],
  ] as const) {
    const [, count = "0"] = new RegExp(`^${name.replaceAll(/[{}]/g, "\\$&")} (\\d+)$`, "m").exec(metrics) ?? [];
    expect([name, Number(count) >= least]).toEqual([name, true]);
  }
  await server.stop();
  isOver = true;

  const secrets = [...good, signature, half, ...bad.map((each) => each.slice(-40)), "s3cret"];
  const events = readFileSync(audit, "utf8");
  expect(events).toContain("tokenreviews");
  expect(events).toContain('"subresource":"token"');
  expect(lines.join()).toContain("authentication failed");
  const shown = { log: lines.join("\n"), events, metrics, answers: answers.map(({ text }) => text).join("\n") };
  for (const [where, text] of Object.entries(shown)) {
    for (const secret of secrets) expect([where, secret, text.includes(secret)]).toEqual([where, secret, false]);
  }
}, 30_000);

test("a file of tokens is read again when it changes, and what it does not name any more is refused", async () => {
  const other = await startServer({ flags: { "token-auth-file": tokenFile } });
  const client = new ApiClient(other);
  const code = async (token: string) =>
    (await client.get("/version", { headers: { authorization: `Bearer ${token}` } })).code;
  try {
    expect([await code("static-s3cret-token"), await code("new-token")]).toEqual([200, 401]);
    writeFileSync(tokenFile, "new-token,jane,7\n");
    while ((await code("new-token")) !== 200) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await code("static-s3cret-token")).toBe(401);
  } finally {
    client.close();
    await other.stop();
  }
});
