// Several servers in one process, used by many tests at the same time.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { builtInTypes } from "@orch/client";
import { startServer } from "./start-server";
import type { TestServer } from "./test-server";

const { configMaps } = builtInTypes("kubernetes");
const SERVERS = 8;
const TESTS = 200;
const FEW_RESETS = 50;
const MANY_RESETS = 300;

let servers: readonly TestServer[];
beforeAll(async () => {
  servers = await Promise.all(
    Array.from({ length: SERVERS }, () => startServer({ controllers: ["namespace", "garbagecollector"] })),
  );
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
});

test("tests that run at the same time on several servers see their own objects only", async () => {
  const problems = await Promise.all(
    Array.from({ length: TESTS }, async (_, number) => {
      const server = servers[number % SERVERS] as TestServer;
      const namespace = `test-${number}`;
      await server.applyManifests({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
      const maps = server.client.resource(configMaps);
      await maps.namespace(namespace).create({ metadata: { name: "own" }, data: { number: String(number) } });
      const { items } = await maps.list({ fieldSelector: "metadata.name=own" });
      const others = items.filter(({ data }) => Number(data?.["number"]) % SERVERS !== number % SERVERS);
      const own = items.filter(({ metadata }) => metadata?.namespace === namespace);
      return others.length === 0 && own.length === 1 ? [] : [number];
    }),
  );
  expect(problems.flat()).toEqual([]);
  expect(new Set(servers.map(({ url }) => url)).size).toBe(SERVERS);
  for (const server of servers) {
    await server.reset();
    const { items } = await server.client.resource(configMaps).list({ fieldSelector: "metadata.name=own" });
    expect(items).toEqual([]);
  }
});

test("resets leave nothing behind in the store and in the caches of a server", async () => {
  const server = servers[0] as TestServer;
  const sizes: number[] = [];
  for (let round = 1; round <= MANY_RESETS; round += 1) {
    await server.client
      .resource(configMaps)
      .namespace("default")
      .create({
        metadata: { name: `round-${round}` },
        data: { text: "x".repeat(1000) },
      });
    await server.reset();
    if (round === FEW_RESETS || round === MANY_RESETS) sizes.push(await keptBytes(server));
  }
  const [few = 0, many = 0] = sizes;
  expect(many).toBeLessThan(few * 1.05);
});

/** Returns the size of the store, with its history. */
async function keptBytes(server: TestServer): Promise<number> {
  const text = await server.client.getText("/metrics");
  const [, bytes] = /^apiserver_storage_size_bytes\{[^}]*\} ([\d.e+]+)$/m.exec(text) ?? [];
  if (bytes === undefined)
    throw new Error(
      `no size of the store in: ${text
        .match(/.*storage.*/g)
        ?.slice(0, 20)
        .join("\n")}`,
    );
  return Number(bytes);
}
