// Two controller managers through failures: the leader is killed, the server is silent for longer than the lease, the
// store is away. Work continues each time, and nothing is done twice.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { makeCertificate } from "@orch/platform";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { ControllerManagers, leads } from "./harness/controller-manager";
import { type EtcdCluster, startEtcd } from "./harness/etcd";
import { eventually } from "./harness/eventually";
import { type Program, useWorkplace } from "./harness/processes";
import { privateKeyFile } from "./harness/signing-key";

const workplace = useWorkplace();
let etcd: EtcdCluster;
let server: ApiServer;
let running: Program[];
let authorityFile: string;
let start: () => Program;

const newAuthority = (commonName: string): string =>
  makeCertificate({ subject: { commonName }, usage: { kind: "authority" }, nowMs: Date.now() }).certificate;

beforeAll(async () => {
  const key = privateKeyFile(workplace);
  authorityFile = join(workplace.folder(), "root.crt");
  writeFileSync(authorityFile, newAuthority("first"));
  etcd = await startEtcd(workplace);
  server = await startApiServer(workplace, {
    store: { kind: "etcd", endpoints: etcd.endpoints },
    flags: [
      "--emulated-release=1.23",
      `--service-account-signing-key-file=${key}`,
      "--service-account-issuer=https://cluster.example",
    ],
  });
  const managers = new ControllerManagers(workplace, server);
  let count = 0;
  start = () => {
    count += 1;
    return managers.start(`manager-${count}`, [
      "--use-service-account-credentials",
      "--leader-elect-lease-duration=4s",
      "--leader-elect-renew-deadline=3s",
      "--leader-elect-retry-period=500ms",
      `--service-account-private-key-file=${key}`,
      `--root-ca-file=${authorityFile}`,
    ]);
  };
  running = [start(), start()];
}, 60_000);

/** Acts as a supervisor: a leader that could not renew its lease in time exits, also on a slow machine. */
function startThoseThatEnded(): void {
  running = running.map((each) => (each.running ? each : start()));
}

/** Polls while exited managers are restarted. */
function inTheEnd<Answer>(what: string, ask: () => Promise<Answer | undefined | false>): Promise<Answer> {
  return eventually(
    what,
    () => {
      startThoseThatEnded();
      return ask();
    },
    { timeoutMs: 40_000 },
  );
}

const leader = (): Promise<Program> =>
  inTheEnd("one leads", async () => running.find((each) => each.running && leads(each)));

interface Listed {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly secrets?: readonly { readonly name: string }[];
}

async function items(path: string): Promise<readonly Listed[]> {
  return (JSON.parse((await server.admin.get(path)).body) as { items: readonly Listed[] }).items;
}

/** Objects in the namespaces of the test. */
async function ours(path: string): Promise<readonly Listed[]> {
  return (await items(path)).filter(({ metadata }) => metadata.namespace.startsWith("test-"));
}

const maps = () => ours("/api/v1/configmaps?fieldSelector=metadata.name%3Dorch-root-ca.crt");

/** Creates work for several controllers and waits until it is done. */
async function workIsDone(name: string): Promise<void> {
  const namespace = `test-${name}`;
  await server.admin.post("/api/v1/namespaces", { metadata: { name: namespace } });
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const owner = (await server.admin.post(path, { metadata: { name: "owner" } })).object();
  const reference = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid };
  await server.admin.post(path, { metadata: { name: "owned", ownerReferences: [reference] } });
  await server.admin.delete(`${path}/owner`);
  await inTheEnd(`the work of ${name} is done`, async () => {
    const account = await server.admin.get(`/api/v1/namespaces/${namespace}/serviceaccounts/default`);
    const held = account.status === 200 ? (account.object() as unknown as Listed).secrets : undefined;
    const codes = await Promise.all(
      ["orch-root-ca.crt", "owned"].map(async (each) => (await server.admin.get(`${path}/${each}`)).status),
    );
    return held?.length === 1 && String(codes) === "200,404";
  });
}

test("work goes on, and everything is made once", async () => {
  await leader();
  await workIsDone("first");

  const killed = await leader();
  await killed.kill();
  await workIsDone("leader-killed");

  // Longer than a leader may continue without renewing its lease.
  const silenced = await leader();
  process.kill(server.program.pid, "SIGSTOP");
  expect(await silenced.ended).not.toBe(0);
  process.kill(server.program.pid, "SIGCONT");
  expect(readFileSync(silenced.logFile, "utf8")).toContain("is no longer the leader");
  await workIsDone("server-silent");

  const [member] = etcd.members;
  await member?.kill();
  member?.start();
  await etcd.untilHealthy();
  await server.untilReady();
  await workIsDone("store-restarted");

  const referenced = (await ours("/api/v1/serviceaccounts")).flatMap(({ metadata, secrets = [] }) =>
    secrets.map(({ name }) => `${metadata.namespace}/${name}`),
  );
  const made = await ours("/api/v1/secrets?fieldSelector=type%3Dorch.io/service-account-token");
  expect(made.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort()).toEqual(referenced.sort());
  expect(made).toHaveLength(4);

  const replaced = newAuthority("second");
  writeFileSync(authorityFile, replaced);
  const told = async () => (await maps()).map(({ data }) => data?.["ca.crt"]);
  await inTheEnd("the new authority is told everywhere", async () => (await told()).every((pem) => pem === replaced));
  const inSecrets = async () => (await ours("/api/v1/secrets")).map(({ data }) => data?.["ca.crt"]);
  const encoded = Buffer.from(replaced).toString("base64");
  await inTheEnd("and in secrets", async () => (await inSecrets()).every((pem) => pem === encoded));
}, 180_000);
