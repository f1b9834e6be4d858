import { expect, test } from "@jest/globals";
import { startServer } from "../server/start-server";
import { type Answer, ApiClient, CONFIG_MAPS, configMap } from "../testing/api-client";
import { useServer } from "../testing/use-server";

let admin: ApiClient;

useServer((running) => ({ admin } = running), {
  flags: { "emulated-release": "1.36", "feature-gates": { ShardedListAndWatch: true } },
});

const BOUNDS = ["0x0000000000000000", "0x5000000000000000", "0xa000000000000000", "0x10000000000000000"];
const SHARDS = [0, 1, 2].map((at) => `shardRange(object.metadata.uid, '${BOUNDS[at]}', '${BOUNDS[at + 1]}')`);

const query = (shard: string): string => `shardSelector=${encodeURIComponent(shard)}`;

const namesOf = (list: Answer["json"]): string[] =>
  ((list["items"] ?? []) as readonly { readonly metadata: { readonly name: string } }[]).map(
    ({ metadata }) => metadata.name,
  );

test("the shards of a list are disjoint, and the list names its selector", async () => {
  for (let at = 0; at < 60; at += 1) await admin.post(CONFIG_MAPS, configMap(`one-${at}`, {}));
  const all = namesOf((await admin.get(CONFIG_MAPS)).json);
  const parts: string[][] = [];
  for (const shard of SHARDS) {
    const { json } = await admin.get(`${CONFIG_MAPS}?${query(shard)}`);
    expect(json["metadata"]).toMatchObject({ shardInfo: { selector: shard } });
    expect(json["metadata"]).not.toHaveProperty("remainingItemCount");
    parts.push(namesOf(json));
  }
  expect(parts.every((part) => part.length > 0)).toBe(true);
  expect(parts.flat().sort()).toEqual([...all].sort());
  const joined = namesOf((await admin.get(`${CONFIG_MAPS}?${query(`${SHARDS[0]} || ${SHARDS[2]}`)}`)).json);
  expect(joined.sort()).toEqual([...(parts[0] ?? []), ...(parts[2] ?? [])].sort());
  const first = await admin.get(`${CONFIG_MAPS}?limit=2&${query(SHARDS[0] as string)}`);
  expect(namesOf(first.json)).toEqual(parts[0]?.slice(0, 2));
});

test("a watch sends the events of its shard alone", async () => {
  const { metadata } = (await admin.get(CONFIG_MAPS)).json as { metadata: { resourceVersion: string } };
  for (let at = 0; at < 20; at += 1) {
    await admin.post(CONFIG_MAPS, configMap(`two-${at}`, {}));
    await admin.delete(`${CONFIG_MAPS}/two-${at}`);
  }
  const lines = await Promise.all(
    SHARDS.map(async (shard) => {
      const path = `${CONFIG_MAPS}?watch=1&timeoutSeconds=1&resourceVersion=${metadata.resourceVersion}&${query(shard)}`;
      return (await admin.get(path)).text.trim().split("\n").filter(Boolean);
    }),
  );
  const events = lines.map((part) => part.map((line) => JSON.parse(line) as { type: string }));
  expect(events.every((part) => part.length > 0 && part.length < 40)).toBe(true);
  expect(events.flat()).toHaveLength(40);
  for (const part of events) expect(part.filter(({ type }) => type === "ADDED")).toHaveLength(part.length / 2);
});

test("a collection is deleted shard by shard", async () => {
  const before = namesOf((await admin.get(CONFIG_MAPS)).json);
  const shard = namesOf((await admin.get(`${CONFIG_MAPS}?${query(SHARDS[1] as string)}`)).json);
  expect((await admin.delete(`${CONFIG_MAPS}?${query(SHARDS[1] as string)}`)).code).toBe(200);
  const left = namesOf((await admin.get(CONFIG_MAPS)).json);
  expect(left).toEqual(before.filter((name) => !shard.includes(name)));
});

test("a wrong selector is refused, and so is any selector without the gate", async () => {
  for (const bad of [" ", "x", "shardRange(object.metadata.name, '0x0', '0x1')"]) {
    const answer = await admin.get(`${CONFIG_MAPS}?${query(bad)}`);
    expect(answer.code).toBe(400);
    expect(answer.json["message"]).toContain("invalid shard selector");
  }
  const plain = await startServer({ flags: { "emulated-release": "1.36" } });
  const client = new ApiClient(plain, plain.admin);
  await client.post(CONFIG_MAPS, configMap("kept", {}));
  for (const path of [CONFIG_MAPS, `${CONFIG_MAPS}?watch=1&timeoutSeconds=1`]) {
    const answer = await client.get(`${path}${path.includes("?") ? "&" : "?"}${query(SHARDS[0] as string)}`);
    expect(answer.code).toBe(400);
    expect(answer.json["message"]).toContain("the feature gate ShardedListAndWatch is off");
  }
  expect((await client.delete(`${CONFIG_MAPS}?${query(SHARDS[0] as string)}`)).code).toBe(400);
  expect(namesOf((await client.get(CONFIG_MAPS)).json)).toContain("kept");
  client.close();
  await plain.stop();
});
