// Several servers on one store: a custom resource defined on one is served by all.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openStore, type Store } from "@orch/store";
import { type RunningServer, startServer } from "../server/start-server";
import { type Answer, ApiClient } from "../testing/api-client";
import { DEFINITIONS, definition, version, WIDGETS, widget } from "../testing/custom-definitions";

let store: Store;
let servers: RunningServer[] = [];
let clients: ApiClient[] = [];

beforeAll(async () => {
  store = await openStore({ kind: "memory" });
  servers = await Promise.all([1, 2, 3].map(() => startServer({ store })));
  clients = servers.map((server) => new ApiClient(server, server.admin));
});
afterAll(async () => {
  for (const client of clients) client.close();
  await Promise.all(servers.map((server) => server.stop()));
  await store.close();
});

async function until(client: ApiClient, path: string, holds: (answer: Answer) => boolean): Promise<Answer> {
  for (;;) {
    const answer = await client.get(path);
    if (holds(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const statusOf = (answer: Answer) =>
  (answer.json as unknown as { status: { conditions: { type: string; status: string }[] } }).status;
const isEstablished = (answer: Answer) =>
  statusOf(answer).conditions?.some(({ type, status }) => type === "Established" && status === "True") ?? false;

test("a definition is served by all, changed on all, and taken away on all", async () => {
  const [one, two, three] = clients as [ApiClient, ApiClient, ApiClient];
  const path = `${DEFINITIONS}/widgets.example.com`;
  await one.post(DEFINITIONS, definition());
  await until(one, path, isEstablished);
  for (const client of clients) await until(client, WIDGETS, ({ code }) => code === 200);
  for (let at = 0; at < 60; at += 1) expect((await two.post(WIDGETS, widget(`w${at}`))).code).toBe(201);
  const versions = [version("v1", { storage: true }), version("v2")];
  const headers = { "content-type": "application/merge-patch+json" };
  await three.ask("PATCH", path, { body: { spec: { versions } }, headers });
  for (const client of clients) await until(client, WIDGETS.replace("/v1/", "/v2/"), ({ code }) => code === 200);

  const late = await startServer({ store });
  const newcomer = new ApiClient(late, late.admin);
  expect((await newcomer.get(WIDGETS)).json.items).toHaveLength(60);
  const watches = await Promise.all(clients.map((client) => client.watch(`${WIDGETS}?watch=1&resourceVersion=0`)));
  for (const watch of watches) expect(await watch.take(60)).toHaveLength(60);
  await two.delete(path);
  for (const watch of watches) {
    const ends = await watch.take(60);
    expect(new Set(ends).size).toBe(60);
    expect(ends.every((each) => each.startsWith("DELETED"))).toBe(true);
    expect(await watch.next()).toMatchObject({ type: "ERROR", object: { code: 404 } });
  }
  for (const client of clients) await until(client, path, ({ code }) => code === 404);
  newcomer.close();
  await late.stop();
});

test("a definition established on one replica is served on another that has not observed it yet", async () => {
  const [one] = clients as [ApiClient, ApiClient, ApiClient];
  const slow = lagging(store);
  const server = await startServer({ store: slow.store });
  const late = new ApiClient(server, server.admin);
  const paths = [WIDGETS, "/apis/example.com", "/apis/example.com/v1"];
  expect((await late.get(WIDGETS)).code).toBe(404);

  try {
    slow.hold();
    await one.post(DEFINITIONS, definition());
    await until(one, `${DEFINITIONS}/widgets.example.com`, isEstablished);
    const asked = paths.map((path) => late.get(path));
    const first = await Promise.race([...asked, new Promise((resolve) => setTimeout(() => resolve("none"), 100))]);
    slow.letGo();
    expect(first).toBe("none");
    expect((await Promise.all(asked)).map(({ code }) => code)).toEqual([200, 200, 200]);
  } finally {
    slow.letGo();
    await one.delete(`${DEFINITIONS}/widgets.example.com`);
    await until(late, WIDGETS, ({ code }) => code === 404);
    late.close();
    await server.stop();
  }
});

/** A store whose watches lag while all other calls continue. */
function lagging(store: Store) {
  let waiting: (() => void)[] | undefined;
  const watch: Store["watch"] = (request, handlers) =>
    store.watch(request, {
      ...handlers,
      batch: (batch) => (waiting === undefined ? handlers.batch(batch) : waiting.push(() => handlers.batch(batch))),
    });
  const get = (target: Store, name: keyof Store): unknown => {
    const member: unknown = name === "watch" ? watch : target[name];
    return typeof member === "function" ? member.bind(target) : member;
  };
  return {
    store: new Proxy(store, { get: (target, name) => get(target, name as keyof Store) }),
    hold() {
      waiting = [];
    },
    letGo() {
      const held = waiting ?? [];
      waiting = undefined;
      for (const deliver of held) deliver();
    },
  };
}

test("all replicas give a contested name to the same definition", async () => {
  const [one, two] = clients as [ApiClient, ApiClient];
  const names = { shortNames: ["wd"] };
  await Promise.all([
    one.post(DEFINITIONS, definition({ names })),
    two.post(DEFINITIONS, definition({ plural: "gadgets", kind: "Gadget", names })),
  ]);
  const paths = ["widgets", "gadgets"].map((plural) => `${DEFINITIONS}/${plural}.example.com`);
  const settled = ({ json }: Answer) => JSON.stringify(json).includes("NamesAccepted");
  const answers = await Promise.all(paths.map((path) => until(one, path, settled)));
  const accepted = answers.filter((answer) =>
    statusOf(answer).conditions.some(({ type, status }) => type === "NamesAccepted" && status === "True"),
  );
  expect(accepted).toHaveLength(1);
  for (const path of paths) await one.delete(path);
  for (const path of paths) await until(two, path, ({ code }) => code === 404);
});
