// A chunked list is one snapshot, whichever replica serves each chunk and whatever is written meanwhile.
import { beforeAll, expect, test } from "@jest/globals";
import type { ApiObject } from "./harness/api-object";
import { type ApiServer, startReplicas } from "./harness/api-server";
import { configMap, expectStatus, freshNamespace, inParallel } from "./harness/config-maps";
import { startEtcd } from "./harness/etcd";
import { useWorkplace } from "./harness/processes";
import type { WatchEvent } from "./harness/watch-reader";

const OBJECTS = 1253;
const LIMIT = 500;

const workplace = useWorkplace();
let replicas: [ApiServer, ApiServer];

beforeAll(async () => {
  const etcd = await startEtcd(workplace);
  replicas = await startReplicas(workplace, etcd.endpoints);
}, 60_000);

test("1,253 objects with limit=500 come as 500, 500 and 253 of one snapshot while writers change the collection", async () => {
  const [first, second] = replicas;
  const path = await freshNamespace(first.admin, "chunks");
  const name = (index: number) => `item-${`${index}`.padStart(5, "0")}`;
  await inParallel(OBJECTS, 16, async (index) => {
    await expectStatus(201, first.admin.post(path, configMap(name(index), { step: "0" })));
  });
  const before = await expectStatus(200, first.admin.get(path));
  const history = await first.admin.watch(`${path}?resourceVersion=${before.metadata.resourceVersion}`);

  // Changes before, after and at the end of each chunk. Equal numbers of creates and deletes keep the count.
  let writing = true;
  let step = 0;
  const write = async () => {
    while (writing) {
      step += 1;
      const writer = replicas[step % 2] as ApiServer;
      await expectStatus(
        200,
        writer.admin.put(
          `${path}/${name(200 + (step % 900))}`,
          configMap(name(200 + (step % 900)), { step: `${step}` }),
        ),
      );
      const extra = `item-${step % 2 === 0 ? "00000" : "09999"}-extra-${step}`;
      await expectStatus(201, writer.admin.post(path, configMap(extra)));
      await expectStatus(200, writer.admin.delete(`${path}/${extra}`));
      const victim = `${path}/${name(step % 150)}`;
      const answer = await writer.admin.delete(victim);
      if (answer.status === 200)
        await expectStatus(201, writer.admin.post(path, configMap(name(step % 150), { step: `${step}` })));
    }
  };

  const chunks: ApiObject[] = [];
  const events: WatchEvent[] = [];
  const writer = write();
  try {
    events.push(...(await history.take(20))); // the writer is under way
    let token = "";
    do {
      const server = replicas[chunks.length % 2] as ApiServer;
      const next = token === "" ? "" : `&continue=${token}`;
      chunks.push(await expectStatus(200, server.admin.get(`${path}?limit=${LIMIT}${next}`)));
      token = chunks.at(-1)?.metadata.continue ?? "";
      events.push(...(await history.take(20))); // and goes on between the chunks
    } while (token !== "");
  } finally {
    writing = false;
    await writer;
  }

  // The writer replaces one object at a time, so a snapshot may have one object more or fewer.
  const total = chunks.reduce((sum, chunk) => sum + (chunk.items?.length ?? 0), 0);
  expect(Math.abs(total - OBJECTS)).toBeLessThanOrEqual(1);
  expect(chunks.map((chunk) => chunk.items?.length)).toEqual([LIMIT, LIMIT, total - 2 * LIMIT]);
  const version = chunks[0]?.metadata.resourceVersion ?? "";
  expect(chunks.map((chunk) => chunk.metadata.resourceVersion)).toEqual([version, version, version]);
  expect(chunks.map((chunk) => chunk.metadata.remainingItemCount)).toEqual([
    total - LIMIT,
    total - 2 * LIMIT,
    undefined,
  ]);
  const listed = chunks.flatMap((chunk) => chunk.items ?? []);

  // The same version in one list, from the replica that served only the second chunk.
  const whole = await expectStatus(
    200,
    second.admin.get(`${path}?resourceVersion=${version}&resourceVersionMatch=Exact`),
  );
  expect(listed).toEqual(whole.items);

  // The independent record of a watch at that version.
  history.close();
  const snapshot = new Map((before.items ?? []).map((item) => [item.metadata.name, item.metadata.resourceVersion]));
  for (const { type, object } of events) {
    if (Number(object.metadata.resourceVersion) > Number(version)) break;
    if (type === "DELETED") snapshot.delete(object.metadata.name);
    else snapshot.set(object.metadata.name, object.metadata.resourceVersion);
  }
  expect(Number(events.at(-1)?.object.metadata.resourceVersion)).toBeGreaterThan(Number(version));
  const byName = (a: readonly string[], b: readonly string[]) => ((a[0] ?? "") < (b[0] ?? "") ? -1 : 1);
  expect(listed.map((item) => [item.metadata.name, item.metadata.resourceVersion])).toEqual([...snapshot].sort(byName));
}, 120_000);

test("1,253 objects at rest: counts and remaining counts", async () => {
  const [first, second] = replicas;
  const path = await freshNamespace(second.admin, "rest");
  await inParallel(OBJECTS, 16, async (index) => {
    await expectStatus(201, (index % 2 === 0 ? first : second).admin.post(path, configMap(`item-${index}`)));
  });
  const one = await expectStatus(200, first.admin.get(`${path}?limit=${LIMIT}`));
  const two = await expectStatus(200, second.admin.get(`${path}?limit=${LIMIT}&continue=${one.metadata.continue}`));
  const three = await expectStatus(200, first.admin.get(`${path}?limit=${LIMIT}&continue=${two.metadata.continue}`));
  expect([one, two, three].map((chunk) => chunk.items?.length)).toEqual([500, 500, 253]);
  expect([one, two, three].map((chunk) => chunk.metadata.remainingItemCount)).toEqual([753, 253, undefined]);
  expect(three.metadata.continue ?? "").toBe("");
  const names = [one, two, three].flatMap((chunk) => (chunk.items ?? []).map((item) => item.metadata.name));
  expect(new Set(names).size).toBe(OBJECTS);
}, 60_000);
