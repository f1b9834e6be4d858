// `GET /debug/clients`: requests and open watches by user and program.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";

const MAPS = "/api/v1/namespaces/default/configmaps";
const REPORT = "/debug/clients";

interface Figures {
  readonly user: string;
  readonly userAgent: string;
  readonly requests: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly streams: number;
}

let server: RunningServer;
let admin: ApiClient;
let ann: ApiClient;
beforeAll(async () => {
  server = await startServer({});
  admin = new ApiClient(server, server.admin);
  ann = new ApiClient(server, server.issueClient({ name: "ann", groups: ["system:masters"] }));
});
afterAll(async () => {
  admin.close();
  ann.close();
  await server.stop();
});

const figures = async (): Promise<readonly Figures[]> =>
  ((await admin.get(REPORT)).json as unknown as { readonly clients: readonly Figures[] }).clients;
const of = (all: readonly Figures[], user: string, agent = "") =>
  all.find((each) => each.user === user && each.userAgent.startsWith(agent));

test("requests are counted by user and program, refused ones as well", async () => {
  for (let at = 0; at < 3; at += 1) await ann.get(MAPS);
  await ann.get(`${MAPS}/none`);
  await ann.ask("GET", MAPS, { headers: { "user-agent": "other/1.0" } });
  const all = await figures();
  expect(of(all, "ann", "other/1.0")?.requests).toBe(1);
  expect(all.filter(({ user }) => user === "ann").reduce((sum, { requests }) => sum + requests, 0)).toBe(5);
  expect(of(all, "ann")?.seconds).toBeGreaterThanOrEqual(0);
});

test("watches under way are counted until they end", async () => {
  const headers = { "user-agent": "watcher/1.0" };
  const readers = [await ann.watch(`${MAPS}?watch=1`, { headers }), await ann.watch(`${MAPS}?watch=1`, { headers })];
  expect(of(await figures(), "ann", "watcher")).toMatchObject({ streams: 2, seconds: 0 });
  for (const reader of readers) reader.close();
  while ((of(await figures(), "ann", "watcher")?.streams ?? 0) > 0) await new Promise(setImmediate);
  expect(of(await figures(), "ann", "watcher")).toMatchObject({ streams: 0, requests: 2, seconds: 0 });
});

test("the time for which the server works is counted for reads, lists, writes and events of watches", async () => {
  const as = (name: string) => ({ headers: { "user-agent": name } });
  const watcher = await ann.watch(`${MAPS}?watch=1&resourceVersion=0`, as("cpu-watcher/1.0"));
  const before = of(await figures(), "ann", "cpu-watcher")?.cpuSeconds ?? 0;
  const name = "worked";
  await ann.ask("POST", MAPS, {
    ...as("cpu-writer/1.0"),
    body: { metadata: { name }, data: { text: "x".repeat(100_000) } },
  });
  for (;;) {
    const event = await watcher.next();
    if ((event?.object as { metadata?: { name?: string } } | undefined)?.metadata?.name === name) break;
  }
  await ann.ask("GET", `${MAPS}/${name}`, as("cpu-reader/1.0"));
  await ann.ask("GET", MAPS, as("cpu-lister/1.0"));
  const all = await figures();
  // The clock of the process that handles both sides runs on while it works.
  for (const agent of ["cpu-writer", "cpu-reader", "cpu-lister"]) {
    const { cpuSeconds = 0, seconds = 0 } = of(all, "ann", agent) ?? {};
    expect([agent, cpuSeconds > 0, cpuSeconds <= seconds + 0.001]).toEqual([agent, true, true]);
  }
  expect(of(all, "ann", "cpu-watcher")?.cpuSeconds).toBeGreaterThan(before);
  watcher.close();
});

test("long names of programs are cut, and the number of clients is bounded", async () => {
  const long = `p${"x".repeat(3000)}`;
  for (let at = 0; at < 520; at += 1) await ann.ask("GET", "/version", { headers: { "user-agent": `${at}-${long}` } });
  const all = await figures();
  expect(all.length).toBe(500);
  expect(Math.max(...all.map(({ userAgent }) => userAgent.length))).toBe(200);
});

test("only users with permission read the report, and only by reading methods", async () => {
  const bob = new ApiClient(server, server.issueClient({ name: "bob" }));
  expect((await bob.get(REPORT)).code).toBe(403);
  expect((await admin.post(REPORT, {})).code).toBe(405);
  bob.close();
});
