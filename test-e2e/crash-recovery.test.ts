// kill -9 of the server and of etcd, and a frozen etcd member: no acknowledged write is lost, and all components
// recover.
import { describe, expect, test } from "@jest/globals";
import { type ApiServer, startApiServer } from "./harness/api-server";
import { configMap, expectStatus, freshNamespace } from "./harness/config-maps";
import { startEtcd } from "./harness/etcd";
import { eventually, sleep } from "./harness/eventually";
import { useWorkplace } from "./harness/processes";

const WRITERS = 8;

const workplace = useWorkplace();

/** Writers that create objects until stopped, through all failures. */
function startLoad(server: ApiServer, path: string, prefix: string) {
  const acknowledged: string[] = [];
  const unexpected: string[] = [];
  let failures = 0;
  let running = true;
  const write = async (writer: number) => {
    for (let count = 0; running; count += 1) {
      const name = `${prefix}-${writer}-${count}`;
      try {
        const answer = await server.admin.post(path, configMap(name, { writer: `${writer}` }), { timeoutMs: 15_000 });
        if (answer.status === 201) {
          acknowledged.push(name);
          continue;
        }
        failures += 1;
        // The store is away, or the outcome of the write is unknown. The answer is always a Status.
        if (![500, 503, 504].includes(answer.status) || answer.statusBody().kind !== "Status") {
          unexpected.push(`${answer.status} ${answer.body.slice(0, 200)}`);
        }
      } catch {
        failures += 1; // refused or cut
      }
      await sleep(20);
    }
  };
  const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer));
  return {
    acknowledged,
    unexpected,
    failures: () => failures,
    async stop() {
      running = false;
      await Promise.all(writers);
    },
    async until(count: number) {
      await eventually(`${count} more writes`, async () => acknowledged.length >= count, { timeoutMs: 60_000 });
    },
  };
}

async function expectAll(server: ApiServer, path: string, acknowledged: readonly string[]): Promise<void> {
  const list = await expectStatus(200, server.admin.get(path));
  const names = new Set((list.items ?? []).map((item) => item.metadata.name));
  expect(acknowledged.filter((name) => !names.has(name))).toEqual([]);
}

describe.each(["etcd", "embedded"] as const)("kill -9 of a server under load, store %s", (kind) => {
  test("no acknowledged write is missing after it starts again", async () => {
    const store = kind === "etcd" ? { kind, endpoints: (await startEtcd(workplace)).endpoints } : { kind };
    const server = await startApiServer(workplace, { name: `killed-${kind}`, store });
    const path = await freshNamespace(server.admin, "crash");
    const load = startLoad(server, path, "w");
    for (let round = 1; round <= 2; round += 1) {
      await load.until(load.acknowledged.length + 300);
      await server.kill();
      server.launch();
      await server.untilReady();
    }
    await load.until(load.acknowledged.length + 100);
    await load.stop();
    expect(load.unexpected).toEqual([]);
    await expectAll(server, path, load.acknowledged);
  }, 90_000);
});

test("kill -9 of etcd under load: readiness says so, old data is still read, and all comes back by itself", async () => {
  const etcd = await startEtcd(workplace);
  const server = await startApiServer(workplace, {
    name: "etcd-killed",
    store: { kind: "etcd", endpoints: etcd.endpoints },
  });
  const path = await freshNamespace(server.admin, "crash");
  const start = (await expectStatus(200, server.admin.get(path))).metadata.resourceVersion;
  const watch = await server.admin.watch(`${path}?resourceVersion=${start}`);
  const load = startLoad(server, path, "w");
  await load.until(300);

  await etcd.members[0]?.kill();
  await eventually("/readyz fails", async () => !(await server.ready()));
  expect((await server.admin.get("/livez?exclude=etcd&exclude=store")).status).toBe(200);
  const any = await server.admin.get(`${path}?resourceVersion=0`);
  expect(any.status).toBe(200);
  expect(any.object().items?.length).toBeGreaterThan(0);

  etcd.members[0]?.start();
  await eventually("/readyz is well again", () => server.ready(), { timeoutMs: 30_000 });
  const before = load.acknowledged.length;
  await load.until(before + 200);
  await load.stop();
  expect(load.failures()).toBeGreaterThan(0);
  expect(load.unexpected).toEqual([]);
  await expectAll(server, path, load.acknowledged);

  // The watch that was open all the time has delivered every object once.
  const list = await expectStatus(200, server.admin.get(path));
  const events = await watch.take(list.items?.length ?? 0);
  watch.close();
  expect(events.map((event) => event.object.metadata.name).sort()).toEqual(
    (list.items ?? []).map((item) => item.metadata.name).sort(),
  );
}, 120_000);

test("a frozen etcd member of three, leader or follower, does not end service", async () => {
  const etcd = await startEtcd(workplace, { members: 3 });
  const server = await startApiServer(workplace, {
    name: "etcd-frozen",
    store: { kind: "etcd", endpoints: etcd.endpoints },
  });
  const path = await freshNamespace(server.admin, "freeze");
  const load = startLoad(server, path, "w");
  await load.until(100);

  const leader = await leaderOf(etcd.members);
  const follower = etcd.members.find((member) => member !== leader);
  for (const member of [leader, follower]) {
    if (member === undefined) throw new Error("no leader");
    member.freeze();
    const count = load.acknowledged.length;
    // More than was in transit when the member froze: every writer progresses again.
    await eventually("writes go on", async () => load.acknowledged.length > count + 20 * WRITERS, {
      timeoutMs: 30_000,
    });
    const read = await server.admin.get(path, { timeoutMs: 15_000 });
    expect(read.status).toBe(200);
    member.thaw();
    await etcd.untilHealthy();
  }
  await load.stop();
  expect(load.unexpected).toEqual([]);
  await expectAll(server, path, load.acknowledged);
}, 120_000);

async function leaderOf<Member extends { readonly endpoint: string }>(
  members: readonly Member[],
): Promise<Member | undefined> {
  for (const member of members) {
    const answer = await fetch(`${member.endpoint}/v3/maintenance/status`, { method: "POST", body: "{}" });
    const status = (await answer.json()) as { header: { member_id: string }; leader: string };
    if (status.leader === status.header.member_id) return member;
  }
  return undefined;
}
