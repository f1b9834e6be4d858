// Secrets are encrypted in etcd, and only the key decrypts them, also after a restart.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { Etcd3 } from "etcd3";
import { startApiServer } from "./harness/api-server";
import { configMap, configMapsPath, expectStatus } from "./harness/config-maps";
import { startEtcd } from "./harness/etcd";
import { eventually } from "./harness/eventually";
import { Kubectl } from "./harness/kubectl";
import { useWorkplace } from "./harness/processes";

const SECRETS = "/api/v1/namespaces/default/secrets";
const MIGRATE = "/debug/migrate?resource=secrets";
const PASSWORD = "correct horse battery staple";
const secret = (name: string) => ({ metadata: { name }, stringData: { password: PASSWORD } });

const workplace = useWorkplace();

const key = (name: string, fill: number) => ({ name, secret: Buffer.alloc(32, fill).toString("base64") });
/** Polling interval; metrics are expensive to render. */
const SELDOM = { pauseMs: 250 };
const IDENTITY = { identity: {} };

function writeConfiguration(file: string, ...providers: readonly object[]): void {
  const resources = [{ resources: ["secrets"], providers }];
  writeFileSync(
    file,
    JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1", kind: "EncryptionConfiguration", resources }),
  );
}

test("secrets are encrypted from the migration on, survive a kill, and answer by the right key alone", async () => {
  const { endpoints } = await startEtcd(workplace);
  const etcd = new Etcd3({ hosts: endpoints.split(",") });
  /** Value prefixes by object name. */
  const inStore = async (resource: string) => {
    const found = await etcd.getAll().prefix(`/registry/core/${resource}/default/`).buffers();
    return Object.fromEntries(
      Object.entries(found).map(([path, value]) => [path.split("/").pop(), value.toString("latin1")]),
    );
  };
  const file = join(workplace.folder(), "encryption.json");
  writeConfiguration(file, IDENTITY, { aescbc: { keys: [key("one", 1)] } });
  const flags = [
    "--vocabulary=kubernetes",
    `--encryption-provider-config=${file}`,
    "--encryption-provider-config-automatic-reload",
    "--storage-migration-rate=1000",
    "--history=secrets=5",
  ];
  const server = await startApiServer(workplace, { store: { kind: "etcd", endpoints }, flags });
  const { admin } = server;
  const reloads = async () => {
    const { body } = await admin.get("/metrics");
    const counted = /^apiserver_configuration_reloads_total\{.*result="(\w+)"\} (\d+)$/gm;
    return Object.fromEntries([...body.matchAll(counted)].map(([, result, count]) => [result, Number(count)]));
  };
  try {
    for (const name of ["a", "b", "c"]) await expectStatus(201, admin.post(SECRETS, secret(name)));
    await expectStatus(201, admin.post(configMapsPath(), configMap("a")));
    expect((await inStore("secrets"))["a"]).toMatch(/^\{/);
    await expectStatus(200, admin.put(`${SECRETS}/a`, { ...secret("a"), metadata: { name: "a", labels: { b: "c" } } }));
    const states = async () =>
      Object.values(await etcd.getAll().prefix("/registry-history/core/secrets/").buffers()).map((value) =>
        value.toString("latin1"),
      );
    expect((await states()).some((value) => value.includes("password"))).toBe(true);

    writeConfiguration(file, { aesgcm: { keys: [key("two", 2)] } }, IDENTITY);
    await eventually("the new configuration is in force", async () => (await reloads())["success"] === 1, SELDOM);
    await expectStatus(202, admin.post(MIGRATE, {}));
    const rows = async () => JSON.parse((await admin.get(MIGRATE)).body).migrations as { phase: string }[];
    const over = await eventually("it is over", async () => (await rows()).find(({ phase }) => phase === "Succeeded"));
    expect(over).toMatchObject({ rewritten: 3, failed: 0 });
    const sealed = await inStore("secrets");
    expect(Object.keys(sealed)).toEqual(["a", "b", "c"]);
    for (const value of Object.values(sealed)) {
      expect(value).toMatch(/^k8s:enc:aesgcm:v1:two:/);
      expect(value).not.toContain("password");
    }
    expect((await inStore("configmaps"))["a"]).toMatch(/^\{/);
    // The kept states as well.
    for (const value of await states()) expect(value).toMatch(/^k8s:enc:aesgcm:v1:two:/);

    await server.kill();
    // Another key under the same name.
    writeConfiguration(file, { aesgcm: { keys: [key("two", 3)] } }, IDENTITY);
    server.launch();
    await server.untilReady();
    expect((await expectStatus(200, admin.get(SECRETS))).items).toEqual([]);
    const refused = await admin.get(`${SECRETS}/a`);
    expect([refused.status, refused.object()["reason"]]).toEqual([500, "InternalError"]);
    expect(refused.body).toContain('the stored object secrets \\"default/a\\" cannot be read: k8s:enc:aesgcm:v1:two: ');

    writeFileSync(file, "no configuration");
    await eventually("a file that is wrong is told of", async () => (await reloads())["failure"] === 1, SELDOM);
    writeConfiguration(file, { aesgcm: { keys: [key("two", 2)] } });
    await eventually("the right key opens them", async () => (await admin.get(`${SECRETS}/a`)).status === 200);
    const kubectl = new Kubectl(server, workplace.folder());
    const jsonpath = "jsonpath={range .items[*]}{.metadata.name}={.data.password} {end}";
    const shown = Buffer.from(PASSWORD).toString("base64");
    expect(await kubectl.print(["get", "secrets", "-o", jsonpath])).toBe(`a=${shown} b=${shown} c=${shown} `);
    const { logTail } = server.program;
    for (const told of [PASSWORD, shown, key("two", 2).secret]) expect(logTail).not.toContain(told);
  } finally {
    etcd.close();
  }
}, 120_000);
