// A watch continues at another replica, also at one that has just started, from an older resource version.
import { beforeAll, expect, test } from "@jest/globals";
import { type ApiServer, startReplicas } from "./harness/api-server";
import { configMap, expectStatus, freshNamespace } from "./harness/config-maps";
import { startEtcd } from "./harness/etcd";
import { useWorkplace } from "./harness/processes";
import { seededRandom } from "./harness/random";
import type { WatchEvent } from "./harness/watch-reader";

const CHANGES = 1500;
const NAMES = 30;

const workplace = useWorkplace();
let replicas: [ApiServer, ApiServer];

beforeAll(async () => {
  const etcd = await startEtcd(workplace);
  replicas = await startReplicas(workplace, etcd.endpoints);
}, 60_000);

test("a watch cut and resumed on the other, freshly restarted replica sees every change exactly once and in order", async () => {
  const [first, second] = replicas;
  const path = await freshNamespace(first.admin, "resumed");
  const start = (await expectStatus(200, first.admin.get(path))).metadata.resourceVersion;

  // One writer at a time, so that the order of changes is known.
  const random = seededRandom(7);
  const expected: string[] = [];
  const alive = new Set<string>();
  const change = async (step: number) => {
    const name = `thing-${random.below(NAMES)}`;
    if (!alive.has(name)) {
      const made = await expectStatus(201, first.admin.post(path, configMap(name, { step: `${step}` })));
      alive.add(name);
      expected.push(`ADDED ${name} ${made.metadata.resourceVersion} ${step}`);
    } else if (random.chance(0.3)) {
      await expectStatus(200, first.admin.delete(`${path}/${name}`));
      alive.delete(name);
      expected.push(`DELETED ${name}`);
    } else {
      const body = configMap(name, { step: `${step}` });
      const changed = await expectStatus(200, first.admin.put(`${path}/${name}`, body));
      expected.push(`MODIFIED ${name} ${changed.metadata.resourceVersion} ${step}`);
    }
  };
  const told = ({ type, object }: WatchEvent) =>
    type === "DELETED"
      ? `DELETED ${object.metadata.name}`
      : `${type} ${object.metadata.name} ${object.metadata.resourceVersion} ${object.data?.["step"]}`;

  for (let step = 0; step < CHANGES / 3; step += 1) await change(step);
  const beforeCut = await first.admin.watch(`${path}?resourceVersion=${start}`);
  const seen = await beforeCut.take(200);
  beforeCut.close();
  const cutAt = seen.at(-1)?.object.metadata.resourceVersion ?? "";

  // The writer continues while the second replica is away and starts.
  let restarting = true;
  const restart = second
    .stop()
    .then(() => second.start())
    .finally(() => {
      restarting = false;
    });
  let step = CHANGES / 3;
  while (restarting) {
    await change(step);
    step += 1;
  }
  await restart;

  const resumed = await second.admin.watch(`${path}?resourceVersion=${cutAt}`);
  while (step < CHANGES) {
    await change(step);
    step += 1;
  }
  seen.push(...(await resumed.take(expected.length - seen.length)));
  resumed.close();
  expect(seen.map(told)).toEqual(expected);
  const versions = seen.map((event) => Number(event.object.metadata.resourceVersion));
  expect(versions).toEqual([...versions].sort((a, b) => a - b));

  // From the beginning, on the replica that did not run then.
  const whole = await second.admin.watch(`${path}?resourceVersion=${start}`);
  expect((await whole.take(expected.length)).map(told)).toEqual(expected);
  whole.close();
}, 120_000);
