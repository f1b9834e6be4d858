// Several worker processes on one port behave as one server, whichever of them answers, starts or ends.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type ClientHttp2Session, connect } from "node:http2";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { type ApiServer, newApiServer } from "./harness/api-server";
import { configMap, expectStatus, freshNamespace, inParallel } from "./harness/config-maps";
import { startEtcd } from "./harness/etcd";
import { eventually, within } from "./harness/eventually";
import type { Answer, ApiClient } from "./harness/https-client";
import { repository, useWorkplace } from "./harness/processes";

/** Each has a connection of its own; the workers receive them in turn. */
const CLIENTS = 4;

const workplace = useWorkplace();
let server: ApiServer;
let clients: readonly ApiClient[];
let audit: string;

beforeAll(async () => {
  const etcd = await startEtcd(workplace);
  audit = workplace.folder();
  const policy = join(workplace.folder(), "policy.json");
  const rules = [{ level: "Request", verbs: ["create"], namespaces: ["audited"] }, { level: "None" }];
  writeFileSync(policy, JSON.stringify({ apiVersion: "audit.orch.io/v1", kind: "Policy", rules }));
  server = await newApiServer(workplace, {
    store: { kind: "etcd", endpoints: etcd.endpoints },
    flags: [
      ...["--workers=2", "--v=3"],
      ...["--max-requests-inflight=80", "--max-mutating-requests-inflight=20"],
      ...[`--audit-policy-file=${policy}`, `--audit-log-path=${join(audit, "audit.log")}`, "--audit-log-maxsize=1"],
    ],
  });
  await server.start();
  await untilReady(2);
  clients = Array.from({ length: CLIENTS }, () => server.client(server.admin.credentials));
}, 60_000);

interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly worker?: number;
}

const logged = (): readonly LogLine[] =>
  server.program
    .logText()
    .split("\n")
    .filter((line) => line.startsWith("{") && line.endsWith("}"))
    .map((line) => JSON.parse(line) as LogLine);

/** Waits until the given number of ready messages was logged since the start. */
const untilReady = (times: number) =>
  eventually("workers are ready", async () => logged().filter(({ message }) => message === "ready").length >= times, {
    timeoutMs: 30_000,
  });

const workers = (): readonly number[] => {
  const { pid } = server.program;
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);
};

const client = (at: number): ApiClient => clients[at % CLIENTS] as ApiClient;

/** Sum of a metric's samples whose labels contain a text. */
async function figure(asked: ApiClient, metric: string, label = ""): Promise<number> {
  const { body } = await asked.get("/metrics");
  return body
    .split("\n")
    .filter((line) => line.startsWith(metric) && line.includes(label))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}

test("a write of one connection is visible to all others at once", async () => {
  const path = await freshNamespace(client(0), "consistent");
  const stale: string[] = [];
  await inParallel(60, CLIENTS, async (at) => {
    const made = await expectStatus(201, client(at).post(path, configMap(`map-${at}`)));
    for (let other = 0; other < CLIENTS; other += 1) {
      const read = await client(other).get(`${path}/map-${at}`);
      if (read.status !== 200 || read.object().metadata.resourceVersion !== made.metadata.resourceVersion)
        stale.push(`map-${at} at ${other}: ${read.status}`);
    }
  });
  expect(stale).toEqual([]);
  const answering = new Set(logged().flatMap(({ level, worker }) => (level === "http" ? [worker] : [])));
  expect(answering).toEqual(new Set([1, 2]));
}, 60_000);

test("every scrape shows all of them, and limits are those of the whole", async () => {
  const path = await freshNamespace(client(0), "counted");
  for (let at = 0; at < 40; at += 1)
    await expectStatus(201, client(at).post(path, { metadata: { generateName: "a-" } }));
  const creates = 'verb="POST",dry_run="",group="",version="v1",resource="configmaps"';
  const before = await eventually("all are counted", async () => {
    const counted = await Promise.all(clients.map((each) => figure(each, "apiserver_request_total", creates)));
    return new Set(counted).size === 1 && counted;
  });
  expect(before[0]).toBe(100);
  // Gauges that all workers share are not summed.
  expect(await figure(client(0), "apiserver_storage_objects", 'resource="pods"')).toBe(0);
  expect(await figure(client(0), "apiserver_storage_objects", 'resource="namespaces"')).toBeLessThan(10);
  // The seats of each level are rounded up at each worker.
  const levels = 10;
  await eventually("each has shown its part", async () => {
    const seats = await figure(client(0), "apiserver_flowcontrol_request_concurrency_limit");
    expect(seats).toBeLessThan(100 + 2 * levels);
    return seats >= 100;
  });
}, 60_000);

test("events of all are whole lines of one audit log, also where it is set aside meanwhile", async () => {
  const path = await freshNamespace(client(0), "audited");
  const text = "x".repeat(20_000);
  await inParallel(150, 12, async (at) => {
    await expectStatus(201, client(at).post(path, configMap(`map-${at}`, { text })));
  });
  const names = Array.from({ length: 150 }, (_, at) => `map-${at}`);
  await eventually("each is there once", async () => {
    const lines = linesOf(audit);
    if (lines === undefined) return false;
    const events = lines.filter((line) => line !== "").map((line) => JSON.parse(line) as AuditEvent);
    const kept = events.filter(({ stage }) => stage === "ResponseComplete").map(({ objectRef }) => objectRef.name);
    if (kept.length < names.length) return false;
    expect(kept.sort()).toEqual([...names].sort());
    return true;
  });
  expect(readdirSync(audit).length).toBeGreaterThan(2);
}, 60_000);

/** @returns undefined when a file was rotated meanwhile */
function linesOf(folder: string): readonly string[] | undefined {
  const files = readdirSync(folder);
  try {
    const lines = files.flatMap((file) => readFileSync(join(folder, file), "utf8").split("\n"));
    return readdirSync(folder).join() === files.join() ? lines : undefined;
  } catch {
    return undefined;
  }
}

interface AuditEvent {
  readonly stage: string;
  readonly objectRef: { readonly name: string };
}

test("SIGHUP replaces all of them: no write fails, a watch goes on without loss or duplicate, no count falls", async () => {
  const path = await freshNamespace(client(0), "replaced");
  const before = workers();
  const counted = await figure(client(0), "apiserver_request_total");
  const written: string[] = [];
  let version = (await expectStatus(200, client(0).get(path))).metadata.resourceVersion;
  const seen: string[] = [];
  let cuts = 0;
  let isWriting = true;
  const watching = (async () => {
    while (!seen.includes("last")) {
      const watch = await server.admin.watch(`${path}?resourceVersion=${version}`);
      for (let event = await watch.next(); event !== undefined; event = await watch.next()) {
        version = event.object.metadata.resourceVersion;
        seen.push(event.object.metadata.name);
        if (event.object.metadata.name === "last") watch.close();
      }
      cuts += 1;
    }
  })();
  server.program.signal("SIGHUP");
  const replaced = eventually(
    "both are others",
    async () => workers().length === 2 && workers().every((pid) => !before.includes(pid)),
    { timeoutMs: 40_000 },
  );
  const writers = clients.map(async (each, at) => {
    for (let count = 0; isWriting; count += 1) {
      const made = await expectStatus(201, each.post(path, configMap(`map-${at}-${count}`)));
      written.push(made.metadata.name);
    }
  });
  await replaced;
  isWriting = false;
  await Promise.all(writers);
  await expectStatus(201, client(0).post(path, configMap("last")));
  written.push("last");
  await watching;
  expect(seen.sort()).toEqual(written.sort());
  expect(cuts).toBeGreaterThan(1);
  expect(await figure(client(0), "apiserver_request_total")).toBeGreaterThanOrEqual(counted + written.length);
}, 90_000);

test("kill -9 of one under load: its connections fail, others do not; it is replaced, and nothing acknowledged is lost", async () => {
  const path = await freshNamespace(client(0), "killed");
  const before = workers();
  const acknowledged: string[] = [];
  const fresh = Array.from({ length: 8 }, () => server.client(server.admin.credentials));
  const failures = fresh.map(() => 0);
  let isWriting = true;
  const multiplexed = new Multiplexed(8);
  await multiplexed.open();
  const writers = fresh.map(async (each, at) => {
    for (let count = 0; isWriting; count += 1) {
      const name = `map-${at}-${count}`;
      const answer: Answer | undefined = await each.post(path, configMap(name)).catch(() => undefined);
      if (answer === undefined) failures[at] = (failures[at] ?? 0) + 1;
      else if (answer.status === 201) acknowledged.push(name);
    }
  });
  await eventually("all are at it", async () => acknowledged.length > 40);
  const readyBefore = logged().filter(({ message }) => message === "ready").length;
  const [victim] = before as [number];
  process.kill(victim, "SIGKILL");
  await untilReady(readyBefore + 1);
  isWriting = false;
  await Promise.all(writers);
  expect(workers().length).toBe(2);
  expect(workers()).not.toContain(victim);
  expect(Math.max(...failures)).toBeGreaterThan(0);
  expect(failures).toContain(0);
  const list = await expectStatus(200, server.admin.get(path));
  const names = new Set((list.items ?? []).map(({ metadata }) => metadata.name));
  expect(acknowledged.filter((name) => !names.has(name))).toEqual([]);
  // All HTTP/2 clients are connected to the remaining worker until they are asked to reconnect.
  await eventually("some are sent on", async () => multiplexed.sentOn >= 2);
  multiplexed.close();
}, 60_000);

/** HTTP/2 clients that reconnect when necessary. */
class Multiplexed {
  /** Number of requests to reconnect. */
  sentOn = 0;
  private isOver = false;
  private readonly sessions = new Set<ClientHttp2Session>();

  constructor(private readonly count: number) {}

  async open(): Promise<void> {
    await Promise.all(Array.from({ length: this.count }, () => this.connect()));
  }

  close(): void {
    this.isOver = true;
    for (const session of this.sessions) session.destroy();
  }

  private async connect(): Promise<void> {
    const session = connect(server.url, { ca: server.admin.credentials.ca });
    this.sessions.add(session);
    session.on("error", () => {});
    session.on("goaway", (code: number) => {
      if (code === 0) this.sentOn += 1;
    });
    session.once("close", () => {
      this.sessions.delete(session);
      if (!this.isOver) void this.connect();
    });
    const sent = session.request({ ":path": "/version", authorization: "Bearer admin-token" });
    sent.on("error", () => {});
    sent.resume();
    await new Promise((resolve) => sent.once("close", resolve));
  }
}

test("kill -9 of the supervisor ends all workers and frees the port", async () => {
  const orphans = workers();
  await server.kill();
  await eventually("both have ended", async () => orphans.every((pid) => !existsSync(`/proc/${pid}`)));
  await server.start();
}, 60_000);

test("SIGTERM, though each of them is told as by a terminal: all finish what they do, and the exit code is 0", async () => {
  const path = await freshNamespace(server.admin, "stopped");
  const watch = await server.admin.watch(`${path}?resourceVersion=0`);
  const all = workers();
  const { pid } = server.program;
  for (const told of [pid, ...all, pid]) process.kill(told, "SIGTERM");
  expect(await server.program.ended).toBe(0);
  await within(5000, "the watch ends", watch.ended);
  expect(all.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
}, 60_000);

test("a store of one process is refused, once, with the options' names", async () => {
  const program = workplace.start({
    name: "refused",
    program: process.execPath,
    args: [join(repository, "packages/apiserver-program/dist/main.js"), "--workers=2", "--store=memory"],
  });
  expect(await program.ended).toBe(1);
  expect(program.logText()).toBe(
    "error: --workers=2 with --store=memory: only one process can use that store; use --etcd-servers, or --workers=1\n",
  );
}, 60_000);

test("where workers die at their start, whoever watches over them gives up, with their exit code", async () => {
  const folder = workplace.folder();
  const file = join(folder, "program.cjs");
  writeFileSync(file, PROGRAM);
  const program = workplace.start({ name: "gives-up", program: process.execPath, args: [file, "--workers=2", folder] });
  const ended = await within(40_000, "it gives up", program.ended);
  expect(ended).toBe(7);
  expect(program.logText()).toContain("worker processes fail at their start: giving up");
}, 60_000);

/** Each worker exits; from the second generation on before it serves. */
const PROGRAM = `
const { GroupMember, superviseIfRequested, takeWorkerIdentity } = require(${JSON.stringify(join(repository, "packages/platform"))});
const { existsSync, writeFileSync } = require("node:fs");
if (!superviseIfRequested(process.argv.slice(2))) {
  const identity = takeWorkerIdentity(process.env);
  const mark = process.argv[3] + "/served-" + identity.number;
  if (existsSync(mark)) process.exit(7);
  writeFileSync(mark, "");
  new GroupMember(identity).ready();
  setTimeout(() => process.exit(1), 500);
}
`;
