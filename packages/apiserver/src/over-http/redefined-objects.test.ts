// Objects stored under an earlier definition: answers contain what the present definition knows.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openStore, type Store } from "@orch/store";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";
import { DEFINITIONS, definition, version, WIDGETS, widget } from "../testing/custom-definitions";

let store: Store;
const servers: RunningServer[] = [];
const clients: ApiClient[] = [];

const TEXT = { type: "string" };
const FORMER = { a: TEXT, gone: TEXT, inner: { type: "object", properties: { b: TEXT, gone: TEXT } } };
const PRESENT = {
  a: TEXT,
  added: { type: "string", default: "x" },
  inner: { type: "object", properties: { b: TEXT } },
};
const versions = (properties: object) => [
  version("v1", {
    storage: true,
    schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } } },
  }),
];
const SPEC = { a: "1", gone: "2", inner: { b: "3", gone: "4" } };
const SHOWN = { a: "1", inner: { b: "3" }, added: "x" };

const specOf = (object: unknown) => (object as { readonly spec: unknown }).spec;

async function served(client: ApiClient): Promise<void> {
  while ((await client.get(WIDGETS)).code !== 200) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function another(): Promise<ApiClient> {
  const server = await startServer({ store });
  servers.push(server);
  const client = new ApiClient(server, server.admin);
  clients.push(client);
  return client;
}

let admin: ApiClient;
let before: string;

beforeAll(async () => {
  store = await openStore({ kind: "memory" });
  admin = await another();
  await admin.post(DEFINITIONS, definition({ versions: versions(FORMER) }));
  await served(admin);
  for (const name of ["one", "two", "three"]) await admin.post(WIDGETS, widget(name, { spec: SPEC }));
  const list = await admin.get(WIDGETS);
  before = list.json.metadata.resourceVersion as string;
  const headers = { "content-type": "application/merge-patch+json" };
  await admin.ask("PATCH", `${DEFINITIONS}/widgets.example.com`, {
    body: { spec: { versions: versions(PRESENT) } },
    headers,
  });
  for (;;) {
    const { json } = await admin.post(`${WIDGETS}?dryRun=All`, widget("asks", { spec: {} }));
    if ((json.spec as { readonly added?: string }).added === "x") break;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
});
afterAll(async () => {
  for (const client of clients) client.close();
  await Promise.all(servers.map((server) => server.stop()));
  await store.close();
});

test.each<[string, () => Promise<unknown>]>([
  ["read", async () => (await admin.get(`${WIDGETS}/one`)).json],
  ["listed", async () => (await admin.get(WIDGETS)).json.items[0]],
  [
    "listed as they were",
    async () => (await admin.get(`${WIDGETS}?resourceVersion=${before}&resourceVersionMatch=Exact`)).json.items[0],
  ],
  [
    "watched",
    async () =>
      ((await (await admin.watch(`${WIDGETS}?watch=1&resourceVersion=0`)).next()) as { object: unknown }).object,
  ],
  ["read on a replica that has come later", async () => (await (await another()).get(`${WIDGETS}/one`)).json],
])("removed fields are pruned and new defaults are set when objects are %s", async (_how, read) => {
  expect(specOf(await read())).toEqual(SHOWN);
});

test("a write that changes nothing brings them into their present form", async () => {
  const { json } = await admin.get(`${WIDGETS}/two`);
  const written = await admin.ask("PUT", `${WIDGETS}/two`, { body: json });
  expect([written.code, specOf(written.json)]).toEqual([200, SHOWN]);
  expect(written.json.metadata.resourceVersion).not.toBe(json.metadata.resourceVersion);
  const again = await admin.ask("PUT", `${WIDGETS}/two`, { body: written.json });
  expect(again.json.metadata.resourceVersion).toBe(written.json.metadata.resourceVersion);
});

test("a write that is about something else keeps nothing of what is unknown", async () => {
  const headers = { "content-type": "application/merge-patch+json" };
  const patched = await admin.ask("PATCH", `${WIDGETS}/three`, { body: { spec: { a: "5" } }, headers });
  expect(specOf(patched.json)).toEqual({ ...SHOWN, a: "5" });
});
