// Usage tracking of service account tokens in Secrets: the last-used label is written, and tokens marked invalid are
// rejected.
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { AuditSink } from "@orch/audit";
import { parseSigningKey, signToken } from "@orch/auth";
import { openStore, type Store } from "@orch/store";
import { type RunningServer, startWithSeams } from "../server/start-server";
import { ApiClient } from "../testing/api-client";

const folder = mkdtempSync(join(tmpdir(), "legacy-tokens-"));
const keyFile = join(folder, "sa.key");
const CORE = "/api/v1/namespaces/default";
const SINCE = "/api/v1/namespaces/orch-system/configmaps/orch-apiserver-legacy-service-account-token-tracking";
const LAST_USED = "orch.io/legacy-token-last-used";
const INVALID = "orch.io/legacy-token-invalid-since";
const A_DAY = /^\d{4}-\d{2}-\d{2}$/;

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const pem = privateKey.export({ type: "pkcs8", format: "pem" }) as string;

let server: RunningServer;
let admin: ApiClient;
let anybody: ApiClient;
let store: Store;
let annotations: Readonly<Record<string, string>>[];

async function start(isFollowed: boolean): Promise<void> {
  const sink: AuditSink = {
    wants: () => ({ level: "Metadata", omits: new Set(["RequestReceived"]), omitManagedFields: false }),
    hear: (event) => void annotations.push(event.annotations),
  };
  const flags = {
    "emulated-release": "1.26",
    "service-account-signing-key-file": keyFile,
    "feature-gates": { LegacyServiceAccountTokenTracking: isFollowed },
  };
  server = await startWithSeams({ flags, store }, { audit: [sink] });
  admin = new ApiClient(server, server.admin);
  anybody = new ApiClient(server);
}

async function stop(): Promise<void> {
  admin.close();
  anybody.close();
  await server.stop();
}

beforeAll(async () => {
  writeFileSync(keyFile, pem);
  store = await openStore({ kind: "memory" });
  await start(true);
});
beforeEach(() => {
  annotations = [];
});
afterAll(async () => {
  await stop();
  await store.close();
  rmSync(folder, { recursive: true });
});

/** Makes a Secret with a token, and optionally names it in the service account as auto-generated Secrets are. */
async function keep(account: string, isNamed: boolean): Promise<string> {
  const secret = `${account}-token`;
  const { json } = await admin.post(`${CORE}/serviceaccounts`, {
    metadata: { name: account },
    secrets: isNamed ? [{ name: secret }] : [],
  });
  const token = await signToken(
    {
      iss: "orch/serviceaccount",
      sub: `system:serviceaccount:default:${account}`,
      "orch.io/serviceaccount/namespace": "default",
      "orch.io/serviceaccount/secret.name": secret,
      "orch.io/serviceaccount/service-account.name": account,
      "orch.io/serviceaccount/service-account.uid": json.metadata.uid,
    },
    parseSigningKey(pem),
  );
  const made = await admin.post(`${CORE}/secrets`, {
    metadata: { name: secret, annotations: { "orch.io/service-account.name": account } },
    type: "orch.io/service-account-token",
    data: { token: Buffer.from(token).toString("base64") },
  });
  expect(made.code).toBe(201);
  return token;
}

const use = (token: string) => anybody.get("/version", { headers: { authorization: `Bearer ${token}` } });

const review = (token: string) => admin.post("/apis/authentication.orch.io/v1/tokenreviews", { spec: { token } });

interface Meta {
  readonly labels?: Readonly<Record<string, string>>;
  readonly resourceVersion: string;
}
const metaOf = async (secret: string) =>
  (await admin.get(`${CORE}/secrets/${secret}`)).json.metadata as unknown as Meta;

async function lastUseOf(secret: string): Promise<Meta> {
  for (;;) {
    const found = await metaOf(secret);
    if (found.labels?.[LAST_USED] !== undefined) return found;
    await pause(5);
  }
}

const label = (secret: string, labels: object) =>
  admin.ask("PATCH", `${CORE}/secrets/${secret}`, {
    body: { metadata: { labels } },
    headers: { "content-type": "application/merge-patch+json" },
  });

/** Waits for a metric, which may be a moment old. */
async function counted(metric: string, atLeast: number): Promise<number> {
  for (;;) {
    const found = Number(new RegExp(`^${metric} (\\d+)$`, "m").exec((await admin.get("/metrics")).text)?.[1]);
    if (found >= atLeast) return found;
    await pause(50);
  }
}

test("since when they are followed can be read, and comes back", async () => {
  const read = async () => (await admin.get(SINCE)).json?.["data"] as { since: string } | undefined;
  expect((await read())?.since).toMatch(A_DAY);
  await admin.delete(SINCE);
  while ((await read()) === undefined) await pause(5);
  // An invalid date is replaced, even in an immutable ConfigMap.
  await admin.put(SINCE, { metadata: { name: SINCE.split("/").at(-1) }, data: { since: "ever" }, immutable: true });
  while (!A_DAY.test((await read())?.since ?? "")) await pause(5);
});

test.each([
  ["an account names", "named", true, "autogenerated", "Use tokens from the TokenRequest API"],
  ["somebody made", "made", false, "manual", undefined],
])("the day on which a token that %s was used is written once", async (_what, account, isNamed, sort, warning) => {
  const token = await keep(account, isNamed);
  const uses = `serviceaccount_legacy_${isNamed ? "auto" : "manual"}_token_uses_total`;
  annotations = [];
  const answers = await Promise.all([use(token), use(token), use(token)]);
  expect(answers.map(({ code }) => code)).toEqual([200, 200, 200]);
  const text = answers[0]?.headers["warning"] as string | undefined;
  expect(text?.includes(warning ?? "")).toBe(warning === undefined ? undefined : true);
  // The server records requests of its own, too.
  expect(annotations).toContainEqual(
    expect.objectContaining({
      "authentication.orch.io/legacy-token": `system:serviceaccount:default:${account}`,
      [`authentication.orch.io/legacy-token-${sort}-secret`]: `${account}-token`,
    }),
  );
  expect(await counted(uses, 3)).toBe(3);
  const reviewed = await review(token);
  expect(reviewed.headers["warning"]).toBe(text);
  const noted = await lastUseOf(`${account}-token`);
  expect(noted.labels?.[LAST_USED]).toMatch(A_DAY);
  // Waits long enough for a second label write, if there were one.
  const others = await keep(`${account}-other`, isNamed);
  for (let index = 0; index < 5; index += 1) await use(token);
  await use(others);
  await lastUseOf(`${account}-other-token`);
  const after = await metaOf(`${account}-token`);
  if (after.labels?.[LAST_USED] === noted.labels?.[LAST_USED])
    expect(after.resourceVersion).toBe(noted.resourceVersion);
});

test("a token whose Secret is marked invalid is refused, its use is written all the same, and it is good again without the mark", async () => {
  const token = await keep("marked", true);
  expect((await use(token)).code).toBe(200);
  await lastUseOf("marked-token");
  await label("marked-token", { [INVALID]: "2024-01-01", [LAST_USED]: "2023-01-01" });
  annotations = [];
  expect((await use(token)).code).toBe(401);
  expect(annotations).toContainEqual({ "authentication.orch.io/legacy-token-invalidated": "marked-token/default" });
  expect(await counted("serviceaccount_invalid_legacy_auto_token_uses_total", 1)).toBe(1);
  annotations = [];
  const reviewed = await review(token);
  expect(reviewed.json.status).toMatchObject({ error: expect.stringContaining(INVALID) });
  expect(annotations).toMatchObject([{ "authentication.orch.io/legacy-token-invalidated": "marked-token/default" }]);
  await label("marked-token", { [INVALID]: null });
  expect((await use(token)).code).toBe(200);
});

test("without tracking, nothing is recorded, and tokens marked invalid stay rejected", async () => {
  const token = await keep("unfollowed", true);
  await stop();
  await start(false);
  expect((await admin.get(SINCE)).code).toBe(404);
  const answer = await use(token);
  expect([answer.code, answer.headers["warning"]]).toEqual([200, undefined]);
  expect(annotations.at(-1)).toEqual({
    "authentication.orch.io/legacy-token": "system:serviceaccount:default:unfollowed",
    "authorization.orch.io/decision": "allow",
    "authorization.orch.io/reason": expect.any(String),
  });
  await label("unfollowed-token", { [INVALID]: "2024-01-01" });
  expect((await use(token)).code).toBe(401);
  expect((await metaOf("unfollowed-token")).labels).toEqual({ [INVALID]: "2024-01-01" });
});
