// Two replicas on one etcd behave as one server: a write acknowledged by either is visible in a Most Recent read of
// both.
import { beforeAll, expect, test } from "@jest/globals";
import type { ApiServer } from "./harness/api-server";
import { startReplicas } from "./harness/api-server";
import { configMap, expectStatus, freshNamespace, inParallel } from "./harness/config-maps";
import { startEtcd } from "./harness/etcd";
import { useWorkplace } from "./harness/processes";
import { seededRandom } from "./harness/random";

const OPERATIONS = 10_000;
const AT_ONCE = 12;
const COUNTERS = 40;
const SEED = 20;

const workplace = useWorkplace();
let replicas: [ApiServer, ApiServer];

beforeAll(async () => {
  const etcd = await startEtcd(workplace);
  replicas = await startReplicas(workplace, etcd.endpoints);
}, 60_000);

test("10,000 interleaved reads and writes across replicas: no stale read, no lost update", async () => {
  const random = seededRandom(SEED);
  const anyone = () => random.pick(replicas).admin;
  const path = await freshNamespace(replicas[0].admin, "counters");
  const counter = (index: number) => `counter-${index}`;
  const countOf = (object: { data?: Readonly<Record<string, string>> }) => Number(object.data?.["count"]);
  // Per counter: the highest confirmed value, and the number of confirmed updates.
  const acknowledged = Array.from({ length: COUNTERS }, () => ({ value: 0, updates: 0 }));
  for (let index = 0; index < COUNTERS; index += 1) {
    await expectStatus(201, anyone().post(path, configMap(counter(index), { count: "0" })));
  }
  const stale: string[] = [];
  let conflicts = 0;

  const at = (index: number) => acknowledged[index] as { value: number; updates: number };
  const readOne = async () => {
    const index = random.below(COUNTERS);
    const known = at(index).value; // before the read begins: it must be at least this new
    const read = countOf(await expectStatus(200, anyone().get(`${path}/${counter(index)}`)));
    if (read < known) stale.push(`get ${counter(index)}: ${read} after ${known} was acknowledged`);
  };
  const readAll = async () => {
    const known = acknowledged.map((one) => one.value);
    const list = await expectStatus(200, anyone().get(`${path}?labelSelector=!owner`));
    const values = new Map((list.items ?? []).map((item) => [item.metadata.name, countOf(item)]));
    known.forEach((value, index) => {
      const read = values.get(counter(index)) ?? -1;
      if (read < value) stale.push(`list ${counter(index)}: ${read} after ${value} was acknowledged`);
    });
  };
  const increment = async () => {
    const index = random.below(COUNTERS);
    const current = await expectStatus(200, anyone().get(`${path}/${counter(index)}`));
    const value = countOf(current) + 1;
    const answer = await anyone().put(`${path}/${counter(index)}`, { ...current, data: { count: `${value}` } });
    if (answer.status === 409) {
      conflicts += 1;
      return;
    }
    expect(answer.status).toBe(200);
    at(index).value = Math.max(at(index).value, value);
    at(index).updates += 1;
  };
  // An object of this task only: created on one replica and visible on the other, and likewise deleted.
  const comeAndGo = async (task: number) => {
    const name = `passing-${task}`;
    const made = await expectStatus(201, anyone().post(path, configMap(name, {}, { labels: { owner: "task" } })));
    const seen = await expectStatus(200, anyone().get(`${path}/${name}`));
    if (seen.metadata.uid !== made.metadata.uid) stale.push(`${name}: another object`);
    await expectStatus(200, anyone().delete(`${path}/${name}`));
    const after = await anyone().get(`${path}/${name}`);
    if (after.status !== 404) stale.push(`${name}: ${after.status} after its delete was acknowledged`);
  };

  await inParallel(OPERATIONS, AT_ONCE, async (task) => {
    const dice = random.below(100);
    if (dice < 45) await readOne();
    else if (dice < 50) await readAll();
    else if (dice < 95) await increment();
    else await comeAndGo(task);
  });

  expect(stale).toEqual([]);
  expect(conflicts).toBeGreaterThan(0); // otherwise no updates conflicted, and the test proves nothing
  for (const replica of replicas) {
    const list = await expectStatus(200, replica.admin.get(path));
    const values = Object.fromEntries((list.items ?? []).map((item) => [item.metadata.name, countOf(item)]));
    expect(values).toEqual(Object.fromEntries(acknowledged.map((one, index) => [counter(index), one.updates])));
  }
}, 600_000);
