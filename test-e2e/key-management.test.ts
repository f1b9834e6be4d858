// Encryption with a key management service: absence, failure, key rotation and restart.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { KmsPlugin } from "@orch/testing";
import { type ApiServer, newApiServer } from "./harness/api-server";
import { configMap, configMapsPath, expectStatus } from "./harness/config-maps";
import { eventually } from "./harness/eventually";
import { useWorkplace } from "./harness/processes";

const SECRETS = "/api/v1/namespaces/default/secrets";
const MAPS = configMapsPath();
const TEMPLATES = "/api/v1/namespaces/default/podtemplates";
const HIDDEN = "nobody-reads-this";
/** Allows for other load on the machine. */
const STARTED = { timeoutMs: 30_000 };

const workplace = useWorkplace();
let first: KmsPlugin;
let second: KmsPlugin;
let server: ApiServer;

beforeAll(async () => {
  const folder = workplace.folder();
  first = new KmsPlugin(join(folder, "first.sock"));
  second = new KmsPlugin(join(folder, "second.sock"));
  const file = join(folder, "encryption.yaml");
  const entry = (resource: string, apiVersion: string, { endpoint }: KmsPlugin) =>
    `- {resources: [${resource}], providers: [{kms: {apiVersion: ${apiVersion}, name: ${apiVersion}, endpoint: "${endpoint}"}}, {identity: {}}]}`;
  const entries = [entry("podtemplates", "v1", first), entry("secrets", "v2", second)];
  const head = ["apiVersion: apiserver.config.orch.io/v1", "kind: EncryptionConfiguration", "resources:"];
  writeFileSync(file, [...head, ...entries, ""].join("\n"));
  const flags = [`--encryption-provider-config=${file}`];
  server = await newApiServer(workplace, { store: { kind: "embedded" }, flags });
});

afterAll(() => {
  first.stop();
  second.stop();
});

const secret = (name: string) => ({ metadata: { name }, stringData: { text: `${HIDDEN}-${name}` } });
const template = (name: string) => ({
  metadata: { name },
  template: { spec: { containers: [{ name: HIDDEN, image: "image" }] } },
});
const versionOf = async (path: string) =>
  (await expectStatus(200, server.admin.get(path))).metadata["resourceVersion"] as string;

const stored = (): Buffer => {
  const folder = join(server.dataDir, "store");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return Buffer.concat(files.map(({ parentPath, name }) => readFileSync(join(parentPath, name))));
};

test("it starts without the services, says so, and is ready once they are there", async () => {
  server.launch();
  await eventually(
    "it serves what is not encrypted",
    async () => {
      const answer = await server.admin.post(MAPS, configMap("early", {})).catch(() => undefined);
      return answer?.status === 201;
    },
    STARTED,
  );
  const { status, body } = await server.admin.get("/readyz");
  expect(status).toBe(500);
  expect(body).toMatch(/\[-\]kms-providers failed/);
  expect((await server.admin.get("/readyz/kms-providers")).body).toMatch(
    /key management service "v[12]": cannot be reached/,
  );
  await Promise.all([first.start(), second.start()]);
  await server.untilReady();
});

test("written objects are encrypted and readable after a restart", async () => {
  await expectStatus(201, server.admin.post(SECRETS, secret("one")));
  await expectStatus(201, server.admin.post(TEMPLATES, template("one")));
  await server.stop();
  const bytes = stored();
  expect(bytes.includes(HIDDEN)).toBe(false);
  for (const prefix of ["orch:enc:kms:v1:v1:", "orch:enc:kms:v2:v2:"]) expect(bytes.includes(prefix)).toBe(true);

  second.keyId = "key-2";
  await server.start();
  const { data } = await expectStatus(200, server.admin.get(`${SECRETS}/one`));
  expect(Buffer.from((data as { text: string }).text, "base64").toString()).toBe(`${HIDDEN}-one`);
  expect(await expectStatus(200, server.admin.get(`${TEMPLATES}/one`))).toMatchObject(template("one"));
});

test("objects under an old key of the service are rewritten under its new one", async () => {
  const before = await versionOf(`${SECRETS}/one`);
  await expectStatus(202, server.admin.post("/debug/migrate?resource=secrets", {}));
  await eventually("it is over", async () => {
    const { body } = await server.admin.get("/debug/migrate?resource=secrets");
    return (JSON.parse(body) as { migrations: { phase: string }[] }).migrations[0]?.phase === "Succeeded";
  });
  const after = await versionOf(`${SECRETS}/one`);
  expect(after).not.toBe(before);
  expect(stored().includes("key-2")).toBe(true);
});

test("without the services reads go on, writes say what is amiss, and what is not encrypted is untouched", async () => {
  first.stop();
  expect(await expectStatus(200, server.admin.get(`${TEMPLATES}/one`))).toMatchObject(template("one"));
  const refused = await expectStatus(500, server.admin.post(TEMPLATES, template("two")));
  expect(refused["message"]).toMatch(/cannot be encrypted: key management service "v1": cannot be reached/);
  await expectStatus(201, server.admin.post(MAPS, configMap("late", {})));
  await expectStatus(201, server.admin.post(SECRETS, secret("two")));
  await first.start();
  await eventually("it is written again", async () => {
    const { status } = await server.admin.post(TEMPLATES, template("three"));
    return status === 201;
  });
  const { body } = await server.admin.get("/metrics");
  expect(body).toMatch(/^apiserver_storage_data_key_generation_failures_total [1-9]/m);
  expect(body).toMatch(/kms_operations_latency_seconds_count\{.*Encrypt.*UNAVAILABLE.*\} [1-9]/);
});
