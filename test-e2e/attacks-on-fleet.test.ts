// One attacking client, through the load balancer: other clients are served, and no server is taken out of service.
// FIGURES=file writes the latencies of the other requests in milliseconds: before, from the start of an attack, and
// during repetitions.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { freshNamespace, inParallel } from "./harness/config-maps";
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
/** Minimum number of rounds per connection during an attack. */
const ROUNDS = 15;
const { FIGURES } = process.env;
const MEASURED_MS = 5000;
const figures: Record<string, readonly Waits[]> = {};
let fleet: Fleet;
let open: RawConnection[] = [];
let workers = 0;

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

afterAll(() => {
  if (FIGURES !== undefined) writeFileSync(FIGURES, JSON.stringify(figures, undefined, 1));
});

const maps = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
interface Waits {
  readonly requests: number;
  readonly p50: number;
  readonly p99: number;
}

/** Answers and latencies of a regular user. */
interface Work {
  readonly complaints: readonly string[];
  readonly waits: readonly Waits[];
}

/** @param attack runs meanwhile; repeated afterwards when figures are requested */
async function work(attack: () => Promise<void>): Promise<Work> {
  workers += 1;
  const program = join(repository, "test-e2e/harness/working-user-program.mjs");
  const user = workplace.start({
    name: `worker-${workers}`,
    program: process.execPath,
    args: [program, fleet.url, fleet.certificates, "worker", maps, String(ROUNDS)],
  });
  await eventually("he works", async () => user.logText() !== "");
  if (FIGURES !== undefined) await sleep(MEASURED_MS);
  user.signal("SIGUSR2");
  await attack();
  if (FIGURES !== undefined) {
    await sleep(MEASURED_MS);
    user.signal("SIGUSR2");
    await repeated(attack);
  }
  user.signal("SIGTERM");
  await user.ended;
  return JSON.parse(user.logText().trim().split("\n").at(-1) as string) as Work;
}

async function repeated(attack: () => Promise<void>): Promise<void> {
  const until = performance.now() + MEASURED_MS;
  do {
    hangUp();
    await attack();
  } while (performance.now() < until);
}

function hangUp(): void {
  for (const connection of open) connection.destroy();
  open = [];
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

/** Streams per connection, on enough connections to exceed the in-flight limits. */
const STREAMS = 100;
const CONNECTIONS = 15;

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
    inParallel(CONNECTIONS, CONNECTIONS, async () => {
      const connection = await connect({ protocol: "h2" });
      connection?.write(
        Buffer.concat([PREFACE, settings([[SETTING.initialWindowSize, 0]]), requests(STREAMS, "/version")]),
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
    inParallel(CONNECTIONS, CONNECTIONS, async () => {
      const connection = await connect({ protocol: "h2" });
      const fields = requestFields("POST", maps);
      const heads = Array.from({ length: STREAMS }, (_, at) => headers(at * 2 + 1, fields, FLAG.endHeaders));
      connection?.write(Buffer.concat([hello, ...heads]));
    }),
  "one user who waits for all that there is": () =>
    inParallel(CONNECTIONS, CONNECTIONS, async () => {
      const connection = await connect({ protocol: "h2", as: fleet.credentials("attacker") });
      connection?.write(Buffer.concat([hello, requests(STREAMS, `${maps}?resourceVersion=99999999`)]));
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

/** A check of the load balancer takes at most a second: other load on the machine may delay one in every round but the last. */
const ROUNDS_OF_ATTACK = 3;
const IS_DOWN = /is DOWN/;

test.each(Object.entries(ATTACKS))(
  "%s",
  async (what, attack) => {
    const { name: balancer } = fleet.topology.loadBalancer;
    const before = fleet.program.logText().length;
    let told = "";
    for (let round = 0; round === 0 || (round < ROUNDS_OF_ATTACK && IS_DOWN.test(told)); round += 1) {
      const from = fleet.logOf(balancer).length;
      const { complaints, waits } = await work(attack);
      hangUp();
      figures[what] = waits;
      expect(complaints).toEqual([]);
      told = fleet.logOf(balancer).slice(from);
    }
    expect(told).not.toMatch(IS_DOWN);
    expect(fleet.program.logText().slice(before)).not.toMatch(/ended \(/);
    for (const { name } of fleet.topology.apiServers) expect(fleet.logOf(name)).not.toMatch(/uncaught|unhandled/i);
  },
  180_000,
);
