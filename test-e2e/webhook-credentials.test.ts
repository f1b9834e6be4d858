// Client credentials for webhooks, from the kubeconfig of the admission configuration, and trusted authorities.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { AdmissionWebhooks } from "./harness/admission-webhook";
import { type ApiServer, newApiServer, startApiServer } from "./harness/api-server";
import { Authority } from "./harness/credentials";
import { eventually } from "./harness/eventually";
import { useWorkplace } from "./harness/processes";
import { accepts, answers } from "./harness/webhook-behaviours";
import {
  configurationOf,
  enforce,
  hooked,
  inForce,
  lift,
  pathOf,
  type WebhookKind,
} from "./harness/webhook-configurations";

const workplace = useWorkplace();
const MAPS = "/api/v1/namespaces/default/configmaps";
const CONFIGURED = { apiVersion: "apiserver.config.orch.io/v1", kind: "WebhookAdmissionConfiguration" };

let authority: Authority;
let server: ApiServer;
let webhooks: AdmissionWebhooks;
let tokenFile: string;

const written = (name: string, content: unknown): string => {
  const path = join(workplace.folder(), name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
};

/** Writes a kubeconfig with these users. */
const users = (name: string, of: Readonly<Record<string, object>>): string =>
  written(name, {
    apiVersion: "v1",
    kind: "Config",
    users: Object.entries(of).map(([each, user]) => ({ name: each, user })),
  });

const admission = (plugins: Readonly<Record<string, string>>): string =>
  written("admission.json", {
    apiVersion: "apiserver.config.orch.io/v1",
    kind: "AdmissionConfiguration",
    plugins: Object.entries(plugins).map(([name, kubeConfigFile]) => ({
      name,
      configuration: { ...CONFIGURED, kubeConfigFile },
    })),
  });

beforeAll(async () => {
  authority = new Authority(workplace);
  webhooks = await new AdmissionWebhooks(authority, { names: ["hook.default.svc"], wantsCertificate: true }).start();
  const own = authority.issue("asking-server");
  const shown = { "client-certificate": own.cert, "client-key": own.key };
  tokenFile = written("token", "from-a-file-1\n");
  const command = written(
    "plugin.cjs",
    `process.stdout.write(JSON.stringify({apiVersion: "client.authentication.orch.io/v1", kind: "ExecCredential", status: {
      token: "from-a-program", clientCertificateData: ${JSON.stringify(readFileSync(own.cert, "utf8"))}, clientKeyData: ${JSON.stringify(readFileSync(own.key, "utf8"))} }}))`,
  );
  const exec = {
    ...{ apiVersion: "client.authentication.orch.io/v1", interactiveMode: "Never" },
    ...{ command: process.execPath, args: [command] },
  };
  const target = `127.0.0.1:${webhooks.listensOn}`;
  const mutating = users("mutating.json", {
    [target]: { ...shown, token: "exactly-this-host" },
    "*": { token: "anybody" },
  });
  const validating = users("validating.json", {
    [target]: { ...shown, tokenFile },
    [`*.default.svc:${webhooks.listensOn}`]: { ...shown, username: "zoe", password: "secret" },
    [`localhost:${webhooks.listensOn}`]: { exec },
    "endless.example:443": { exec: { ...exec, args: ["-e", "setTimeout(() => {}, 20_000)"] } },
  });
  server = await startApiServer(workplace, {
    authority,
    store: { kind: "memory" },
    flags: [
      `--admission-control-config-file=${admission({ MutatingAdmissionWebhook: mutating, ValidatingAdmissionWebhook: validating })}`,
    ],
    env: { SSL_CERT_FILE: authority.caFile },
  });
}, 60_000);
afterAll(() => webhooks?.stop());

/** Returns the credentials that a webhook receives in one call. */
async function shownTo(kind: WebhookKind, name: string, clientConfig: object) {
  const entries = [{ name: "one", clientConfig, failurePolicy: "Fail" as const }];
  await enforce(server.admin, webhooks, { kind, name, entries, paths: [`/${name}`] });
  const answer = await server.admin.post(MAPS, hooked(name, `${kind}-${name}`));
  expect(answer.status).toBe(201);
  await lift(server.admin, kind, name);
  const call = webhooks.asked.at(-1);
  return { by: call?.by, authorization: call?.headers["authorization"] };
}

const by = "asking-server";

test("each plugin shows what its own file holds for the host", async () => {
  const { caBundle } = webhooks;
  expect(await shownTo("mutating", "host", { url: webhooks.url("/host"), caBundle })).toEqual({
    by,
    authorization: "Bearer exactly-this-host",
  });
  expect(await shownTo("validating", "host", { url: webhooks.url("/host"), caBundle })).toEqual({
    by,
    authorization: "Bearer from-a-file-1",
  });
});

test("a service is found by a wildcard, and may want a password", async () => {
  const spec = { type: "ExternalName", externalName: "localhost" };
  await server.admin.post("/api/v1/namespaces/default/services", { metadata: { name: "hook" }, spec });
  const service = { namespace: "default", name: "hook", path: "/service", port: webhooks.listensOn };
  expect(await shownTo("validating", "service", { service, caBundle: webhooks.caBundle })).toEqual({
    by,
    authorization: `Basic ${Buffer.from("zoe:secret").toString("base64")}`,
  });
});

test("a program may hand out what is shown, and whoever this machine trusts is trusted where no bundle is given", async () => {
  const url = webhooks.url("/program").replace("127.0.0.1", "localhost");
  expect(await shownTo("validating", "program", { url })).toEqual({ by, authorization: "Bearer from-a-program" });
});

test("a program that never ends is waited for no longer than a webhook is", async () => {
  const clientConfig = { url: "https://endless.example/x" };
  const entries = [{ name: "one", clientConfig, failurePolicy: "Fail" as const, timeoutSeconds: 1 }];
  const created = await server.admin.post(pathOf("validating"), configurationOf("validating", "endless", entries));
  expect(created.status).toBe(201);
  const refused = await eventually("it is in force", async () => {
    const answer = await server.admin.post(`${MAPS}?dryRun=All`, hooked("endless", "endless"));
    return answer.status !== 201 && answer;
  });
  expect(refused.statusBody().message).toContain(
    'Post "https://endless.example/x?timeout=1s": context deadline exceeded',
  );
  await lift(server.admin, "validating", "endless");
});

test("a token's file is read again when its token is refused", async () => {
  const clientConfig = webhooks.at("/renewed");
  const entries = [{ name: "one", clientConfig, failurePolicy: "Fail" as const }];
  await enforce(server.admin, webhooks, { kind: "validating", name: "renewed", entries, paths: ["/renewed"] });
  writeFileSync(tokenFile, "from-a-file-2");
  webhooks.does("/renewed", answers(401), accepts);
  const refused = await server.admin.post(MAPS, hooked("renewed", "renewed"));
  expect(refused.statusBody().message).toMatch(
    /failed to call webhook: the server has asked for the client to provide credentials$/,
  );
  expect((await server.admin.post(MAPS, hooked("renewed", "renewed"))).status).toBe(201);
  expect(webhooks.asked.map(({ headers }) => headers["authorization"])).toEqual([
    "Bearer from-a-file-1",
    "Bearer from-a-file-2",
  ]);
  await lift(server.admin, "validating", "renewed");
});

test("an object of many values comes to its webhook with the same", async () => {
  const clientConfig = webhooks.at("/large");
  const entries = [{ name: "one", clientConfig, failurePolicy: "Fail" as const }];
  await enforce(server.admin, webhooks, { kind: "mutating", name: "large", entries, paths: ["/large"] });
  await inForce(server.admin, webhooks, { name: "large", paths: ["/large"] });
  webhooks.asked = [];
  const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`key-${at}`, "x"]));
  expect((await server.admin.post(MAPS, hooked("large", "large", { data }))).status).toBe(201);
  expect(webhooks.asked.map(({ headers }) => headers["authorization"])).toEqual(["Bearer exactly-this-host"]);
});

describe("a server does not start with a file that", () => {
  test.each<[string, () => string, RegExp]>([
    ["is not there", () => "/nowhere/at-all", /couldn't init admission plugin "ValidatingAdmissionWebhook": .*ENOENT/],
    ["is relative", () => "hooks.json", /kubeConfigFile: Invalid value: "hooks\.json": must be an absolute file path/],
    ["is none", () => written("none.json", "[1]"), /couldn't init admission plugin .*expected an object/],
  ])("%s", async (_what, file, why) => {
    const flags = [`--admission-control-config-file=${admission({ ValidatingAdmissionWebhook: file() })}`];
    const other = await newApiServer(workplace, { name: "refused", authority, store: { kind: "memory" }, flags });
    const program = other.launch();
    expect(await program.ended).not.toBe(0);
    await eventually("it is told why", async () => why.test(program.logTail));
  });
});
