// One client against everybody, through the load balancer: whoever else works there is served, and no server is taken out of service.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { configMap, freshNamespace, inParallel } from "./harness/config-maps";
import { eventually } from "./harness/eventually";
import { Fleet } from "./harness/fleet";
import {
  FLAG,
  FRAME,
  frame,
  headers,
  PREFACE,
  ping,
  requestFields,
  reset,
  SETTING,
  settings,
} from "./harness/http2-frames";
import { ApiClient } from "./harness/https-client";
import { repository, useWorkplace } from "./harness/processes";
import { RawConnection, type RawOptions } from "./harness/raw-connection";

const workplace = useWorkplace();
const NAMESPACE = "work";
const WORKERS = 4;
/** Rounds of each worker, at least, while an attack lasts. */
const ROUNDS = 15;
let fleet: Fleet;
let open: RawConnection[] = [];

beforeAll(async () => {
  fleet = await Fleet.start(workplace);
  const script = join(repository, "scripts/certificates.mjs");
  for (const name of ["worker", "attacker"])
    execFileSync(process.execPath, [script, fleet.certificates, name, "--o", "people"]);
  const admin = new ApiClient(fleet.url, fleet.credentials("admin"));
  await freshNamespace(admin, NAMESPACE);
  const apiGroup = "rbac.authorization.orch.io";
  const binding = {
    apiVersion: `${apiGroup}/v1`,
    kind: "RoleBinding",
    metadata: { name: "people" },
    roleRef: { apiGroup, kind: "ClusterRole", name: "admin" },
    subjects: [{ apiGroup, kind: "Group", name: "people" }],
  };
  await admin.post(`/apis/${apiGroup}/v1/namespaces/${NAMESPACE}/rolebindings`, binding);
  const worker = new ApiClient(fleet.url, fleet.credentials("worker"));
  await eventually("the binding counts", async () => (await worker.get(maps)).status === 200);
  worker.close();
  admin.close();
  const balancerLog = () => fleet.logOf(fleet.topology.loadBalancer.name);
  const { apiServers } = fleet.topology;
  await eventually("all servers take part", async () =>
    apiServers.every(({ name }) => balancerLog().includes(`${name} is UP`)),
  );
}, 120_000);

const maps = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
let made = 0;

/** What comes back to those who work, until they have had their rounds and the attack is over. */
async function work(isOver: () => boolean): Promise<readonly string[]> {
  const client = new ApiClient(fleet.url, fleet.credentials("worker"));
  const complaints: string[] = [];
  const ask = async (what: string, asked: Promise<{ readonly status: number; readonly body: string }>) => {
    const { status, body } = await asked.catch((error: Error) => ({ status: 0, body: error.message }));
    if (status < 200 || status > 299) complaints.push(`${what}: ${status} ${body.slice(0, 200)}`);
  };
  await inParallel(WORKERS, WORKERS, async () => {
    for (let round = 0; round < ROUNDS || !isOver(); round += 1) {
      const name = `made-${made++}`;
      await ask("create", client.post(maps, configMap(name), { timeoutMs: 60_000 }));
      await ask("get", client.get(`${maps}/${name}`, { timeoutMs: 60_000 }));
      await ask("delete", client.delete(`${maps}/${name}`, { timeoutMs: 60_000 }));
    }
  });
  client.close();
  return complaints;
}

async function connect(options: Omit<RawOptions, "port"> = {}): Promise<RawConnection | undefined> {
  const connection = await RawConnection.open({ port: fleet.topology.loadBalancer.port, ...options }).catch(
    () => undefined,
  );
  if (connection !== undefined) open.push(connection);
  return connection;
}

const hello = Buffer.concat([PREFACE, settings()]);
const requests = (count: number, path: string, flags?: number): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, at) => headers(at * 2 + 1, requestFields("GET", path), flags)));

const BROKEN = [
  "GET http://? HTTP/1.1\r\nHost: x\r\n\r\n",
  "GET http:// HTTP/1.1\r\nHost: x\r\n\r\n",
  "GET http://[::1 HTTP/1.1\r\nHost: x\r\n\r\n",
  "GET /version HTTP/2.0\r\nHost: x\r\n\r\n",
  "GET /version HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
];

const ATTACKS: Readonly<Record<string, () => Promise<void>>> = {
  "request lines that cannot be read": () =>
    inParallel(300, 8, async (at) => {
      const connection = await connect();
      connection?.write(BROKEN[at % BROKEN.length] as string);
    }),
  "answers that nobody reads, without credentials": () =>
    inParallel(6, 6, async () => {
      const connection = await connect({ protocol: "h2" });
      connection?.write(
        Buffer.concat([PREFACE, settings([[SETTING.initialWindowSize, 0]]), requests(240, "/version")]),
      );
    }),
  "writes whose bodies do not come": () =>
    inParallel(480, 16, async () => {
      const connection = await connect({ as: fleet.credentials("attacker") });
      connection?.write(
        `POST ${maps} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
      );
    }),
  "writes without credentials whose bodies do not come": () =>
    inParallel(6, 6, async () => {
      const connection = await connect({ protocol: "h2" });
      const fields = requestFields("POST", maps);
      const heads = Array.from({ length: 240 }, (_, at) => headers(at * 2 + 1, fields, FLAG.endHeaders));
      connection?.write(Buffer.concat([hello, ...heads]));
    }),
  "one user who waits for all that there is": () =>
    inParallel(6, 6, async () => {
      const connection = await connect({ protocol: "h2", as: fleet.credentials("attacker") });
      connection?.write(Buffer.concat([hello, requests(240, `${maps}?resourceVersion=99999999`)]));
    }),
  "connections that say nothing": () =>
    inParallel(500, 16, async (at) => {
      const connection = await connect({ protocol: at % 2 === 0 ? "h2" : "http/1.1" });
      if (at % 4 === 0) connection?.write(hello);
    }),
  "requests that are reset, and pings": () =>
    inParallel(4, 4, async (of) => {
      const connection = await connect({ protocol: "h2" });
      connection?.write(hello);
      for (let at = 0; at < 100 && connection?.closed === false; at += 1) {
        const pair = (n: number) => Buffer.concat([headers(n, requestFields("GET", "/version")), reset(n)]);
        const batch = Array.from({ length: 50 }, (_, n) => (of % 2 === 0 ? ping() : pair((at * 50 + n) * 2 + 1)));
        connection.write(Buffer.concat(batch));
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }),
  "a head that never ends": () =>
    inParallel(10, 10, async () => {
      const connection = await connect({ protocol: "h2" });
      const begun = headers(1, requestFields("GET", "/version"), 0);
      connection?.write(
        Buffer.concat([hello, begun, frame(FRAME.continuation, { stream: 1, payload: Buffer.alloc(0) })]),
      );
    }),
};

test.each(Object.entries(ATTACKS))(
  "%s",
  async (_what, attack) => {
    const { name: balancer } = fleet.topology.loadBalancer;
    const before = { balancer: fleet.logOf(balancer).length, fleet: fleet.program.logText().length };
    let over = false;
    const attacked = attack().finally(() => {
      over = true;
    });
    const complaints = await work(() => over);
    await attacked;
    for (const connection of open) connection.destroy();
    open = [];
    expect(complaints).toEqual([]);
    expect(fleet.logOf(balancer).slice(before.balancer)).not.toMatch(/is DOWN/);
    expect(fleet.program.logText().slice(before.fleet)).not.toMatch(/ended \(/);
    for (const { name } of fleet.topology.apiServers) expect(fleet.logOf(name)).not.toMatch(/uncaught|unhandled/i);
  },
  180_000,
);
