// The history of objects while replicas and etcd members are killed and frozen: each acknowledged write has its
// revision, and the revisions of an object are a chain without a gap.
import { afterEach, expect, test } from "@jest/globals";
import { type ApiServer, startReplicas } from "../harness/api-server";
import { configMap, expectStatus, freshNamespace } from "../harness/config-maps";
import { type EtcdCluster, startEtcd } from "../harness/etcd";
import { eventually, sleep } from "../harness/eventually";
import { useWorkplace } from "../harness/processes";
import { type Random, seededRandom } from "../harness/random";

const WRITERS = 8;
const OBJECTS = 60;
const SEED = 39;
/** Maximum length of a list of revisions. */
const LISTED_MAX = 500;
/** Pause of each writer, so that no list becomes longer on a fast machine. */
const PAUSE_MS = 25;
/** Writes that must succeed between two failures. */
const BETWEEN = 120;

interface Revision {
  readonly resourceVersion: string;
  readonly replaces?: string;
  readonly change: "created" | "updated" | "deleted";
  readonly patch?: readonly { readonly path: string; readonly value?: unknown }[];
}

const workplace = useWorkplace();
let load: Load | undefined;
afterEach(() => load?.stop());

/** Writers that create, update, delete and bring back the same objects through all failures. */
class Load {
  /** Value that an acknowledged write set, by name and resource version. */
  readonly acknowledged = new Map<string, Map<string, string>>();
  readonly unexpected: string[] = [];
  deletions = 0;
  written = 0;
  broken = 0;
  private isRunning = true;
  private readonly writers: Promise<void>[];

  constructor(
    private readonly replicas: readonly ApiServer[],
    private readonly path: string,
    private readonly random: Random,
  ) {
    this.writers = Array.from({ length: WRITERS }, (_, writer) => this.write(writer));
  }

  async until(count: number): Promise<void> {
    const goal = this.written + count;
    await eventually(`${count} more writes`, async () => this.written >= goal, { timeoutMs: 60_000 });
  }

  async stop(): Promise<void> {
    this.isRunning = false;
    await Promise.all(this.writers);
  }

  private async write(writer: number): Promise<void> {
    for (let count = 0; this.isRunning; count += 1) {
      const name = `o${this.random.below(OBJECTS)}`;
      try {
        await this.one(name, `${writer}-${count}`);
      } catch {
        this.broken += 1; // refused or cut
      }
      await sleep(PAUSE_MS);
    }
  }

  private async one(name: string, value: string): Promise<void> {
    const { admin } = this.random.pick(this.replicas);
    const at = `${this.path}/${name}`;
    const timeoutMs = 15_000;
    const dice = this.random.below(100);
    if (dice < 8) {
      const { status, body } = await admin.send(at, { method: "DELETE", timeoutMs });
      if (status === 200) this.deletions += 1;
      this.told(status, [200, 404], body);
      return;
    }
    const body = configMap(name, { value });
    let answer = await admin.put(at, body, { timeoutMs });
    if (answer.status === 404) {
      const isRestored = dice < 50;
      answer = isRestored
        ? await admin.send(`${at}/restore`, { method: "POST", timeoutMs })
        : await admin.post(this.path, body, { timeoutMs });
    }
    this.told(answer.status, [200, 201, 404, 409], answer.body);
    if (answer.status !== 200 && answer.status !== 201) return;
    const { metadata, data } = answer.object();
    const known = this.acknowledged.get(name) ?? new Map<string, string>();
    known.set(metadata.resourceVersion, data?.["value"] ?? "");
    this.acknowledged.set(name, known);
    this.written += 1;
  }

  /** Notes an answer that is neither one of these nor a Status about a store that is away. */
  private told(status: number, expected: readonly number[], body: string): void {
    if (expected.includes(status)) return;
    if ([500, 503, 504].includes(status) && body.includes('"Status"')) this.broken += 1;
    else this.unexpected.push(`${status} ${body.slice(0, 200)}`);
  }
}

test("each acknowledged write has its revision, and no chain of revisions has a gap", async () => {
  const etcd = await startEtcd(workplace, { members: 3 });
  const replicas = await startReplicas(workplace, etcd.endpoints, ["--history=configmaps=1000"]);
  const path = await freshNamespace(replicas[0].admin, "chaos");
  load = new Load(replicas, path, seededRandom(SEED));
  await load.until(BETWEEN);
  for (const fail of failures(etcd, replicas)) {
    await fail();
    await load.until(BETWEEN);
  }
  await load.stop();
  expect(load.unexpected).toEqual([]);
  expect(load.broken).toBeGreaterThan(0);
  expect(load.deletions).toBeGreaterThan(0);
  for (const [name, acknowledged] of load.acknowledged) {
    const { admin } = replicas[1];
    const { items } = (await expectStatus(
      200,
      admin.get(`${path}/${name}/history?limit=${LISTED_MAX}`),
    )) as unknown as {
      items: readonly Revision[];
    };
    expect(items.length).toBeLessThan(LISTED_MAX);
    expectChain(name, items);
    expectAcknowledged(name, items, acknowledged);
    const present = await admin.get(`${path}/${name}`);
    if (items[0]?.change === "deleted") expect(present.status).toBe(404);
    else expect(present.object().metadata.resourceVersion).toBe(items[0]?.resourceVersion);
  }
}, 300_000);

function failures(etcd: EtcdCluster, replicas: readonly [ApiServer, ApiServer]): readonly (() => Promise<void>)[] {
  const restart = (replica: ApiServer) => async () => {
    await replica.kill();
    replica.launch();
    await replica.untilReady();
  };
  const members = etcd.members.map((member) => ({
    async isAway() {
      await member.kill();
      await sleep(1000);
      member.start();
      await etcd.untilHealthy();
    },
    async isSilent() {
      member.freeze();
      await sleep(3000);
      member.thaw();
      await etcd.untilHealthy();
    },
  }));
  const both = async () => {
    await Promise.all(replicas.map((replica) => restart(replica)()));
  };
  return [
    restart(replicas[0]),
    ...members.map(({ isAway }) => isAway),
    restart(replicas[1]),
    ...members.map(({ isSilent }) => isSilent),
    both,
  ];
}

/** Expects each revision to replace the one before it. @param items the newest first */
function expectChain(name: string, items: readonly Revision[]): void {
  for (const [at, { change, replaces, resourceVersion }] of items.entries()) {
    const before = items[at + 1];
    const where = `${name} at ${resourceVersion}`;
    if (change === "created") {
      expect([where, replaces, before?.change ?? "deleted"]).toEqual([where, undefined, "deleted"]);
    } else {
      expect([where, replaces]).toEqual([where, before?.resourceVersion]);
      expect([where, before?.change]).not.toEqual([where, "deleted"]);
    }
  }
  expect(items.at(-1)?.change).toBe("created");
}

function expectAcknowledged(name: string, items: readonly Revision[], acknowledged: ReadonlyMap<string, string>): void {
  const kept = new Map(items.map((item) => [item.resourceVersion, item]));
  for (const [resourceVersion, value] of acknowledged) {
    const revision = kept.get(resourceVersion);
    expect([name, resourceVersion, revision?.change]).toEqual([
      name,
      resourceVersion,
      expect.stringMatching(/^(created|updated)$/),
    ]);
    if (revision?.change !== "updated") continue;
    const told = revision.patch?.find((each) => each.path === "/data/value")?.value;
    expect([name, resourceVersion, told]).toEqual([name, resourceVersion, value]);
  }
}
