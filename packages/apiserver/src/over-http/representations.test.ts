import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import type { RunningServer } from "../server/start-server";
import { type ApiClient, CONFIG_MAPS, configMap, type Loose, openHttp2 } from "../testing/api-client";
import { useServer } from "../testing/use-server";

const META = "meta.orch.io";
const as = (kind: string, version = "v1", type = "application/json") => ({
  headers: { accept: `${type};as=${kind};v=${version};g=${META}` },
});
const TABLE = as("Table");
const METADATA = as("PartialObjectMetadata");
const METADATA_LIST = as("PartialObjectMetadataList");
const YAML = { headers: { accept: "application/yaml" } };
const LARGE = "/api/v1/namespaces/large/configmaps";

let server: RunningServer;
let admin: ApiClient;
let one: Loose;

useServer((running) => ({ server, admin } = running));

beforeAll(async () => {
  one = (await admin.post(CONFIG_MAPS, configMap("one", { a: "1", b: "x\ny\n" }))).json;
  await admin.post(CONFIG_MAPS, configMap("two"));
  await admin.post("/api/v1/namespaces", { metadata: { name: "large" } });
  const annotations = { long: "x".repeat(10_000) };
  for (let at = 0; at < 20; at += 1) await admin.post(LARGE, { metadata: { name: `c${at}`, annotations } });
});

/** Query of the same list at the same revision: the server itself writes to other resources meanwhile. */
const at = ({ metadata }: Loose) => `resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`;
const names = (table: Loose) => table.rows.map(({ cells }) => cells[0]);
const columnsOf = ({ columnDefinitions }: Loose) => columnDefinitions?.map(({ name, type }) => `${name} ${type}`);

describe("a table", () => {
  test("a table of a list has the columns of its kind and the metadata of each object", async () => {
    const { code, json, headers } = await admin.get(`${CONFIG_MAPS}?limit=1`, TABLE);
    expect([code, headers["content-type"]]).toEqual([200, "application/json"]);
    expect(json).toMatchObject({ kind: "Table", apiVersion: `${META}/v1`, metadata: { remainingItemCount: 1 } });
    expect(json.metadata.continue).toMatch(/./);
    expect(Object.keys(json.columnDefinitions?.[0] ?? {})).toEqual([
      "name",
      "type",
      "format",
      "description",
      "priority",
    ]);
    expect(columnsOf(json)).toEqual(["Name string", "Data string", "Age string"]);
    const partial = { kind: "PartialObjectMetadata", apiVersion: `${META}/v1`, metadata: one.metadata };
    expect(json.rows).toEqual([{ cells: ["one", 2, expect.stringMatching(/^\d+s$/)], object: partial }]);
  });

  test("says its own version in its rows too", async () => {
    const { json } = await admin.get(CONFIG_MAPS, as("Table", "v1beta1"));
    expect([json.apiVersion, json.rows[0]?.object.apiVersion]).toEqual([`${META}/v1beta1`, `${META}/v1beta1`]);
    expect(names(json)).toEqual(["one", "two"]);
  });

  test("a table of a single object has one row", async () => {
    const { json } = await admin.get(`${CONFIG_MAPS}/one`, TABLE);
    expect(json.metadata).toEqual({ resourceVersion: one.metadata.resourceVersion });
    expect(names(json)).toEqual(["one"]);
  });

  test("an empty table has its columns", async () => {
    const { json } = await admin.get(`${CONFIG_MAPS}?labelSelector=no%3Dsuch`, TABLE);
    expect([columnsOf(json)?.length, json.rows]).toEqual([3, []]);
  });

  test("a table of a kind without columns has name and creation time", async () => {
    const scaled = await admin.post("/apis/apps/v1/namespaces/default/deployments", {
      metadata: { name: "d" },
      spec: {
        replicas: 0,
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
      },
    });
    const { json } = await admin.get("/apis/apps/v1/namespaces/default/deployments/d/scale", TABLE);
    expect(columnsOf(json)).toEqual(["Name string", "Created At date"]);
    expect(json.rows[0]?.cells).toEqual(["d", scaled.json.metadata.creationTimestamp]);
  });

  test.each<[string, (row: Loose | undefined) => void]>([
    ["None", (row) => expect(row?.object).toBeNull()],
    ["Object", (row) => expect(row?.object).toEqual(one)],
    ["Metadata", (row) => expect(row?.object.kind).toBe("PartialObjectMetadata")],
  ])("includes of the objects: %s", async (include, check) => {
    check((await admin.get(`${CONFIG_MAPS}?includeObject=${include}`, TABLE)).json.rows[0]);
    check((await admin.get(`${CONFIG_MAPS}/one?includeObject=${include}`, TABLE)).json.rows[0]);
  });

  test("can include nothing else", async () => {
    const { code, json } = await admin.get(`${CONFIG_MAPS}?includeObject=All`, TABLE);
    expect([code, json.message]).toEqual([
      400,
      "Unable to convert to Table as requested: includeObject: Invalid value: \"All\": must be 'Metadata', 'Object', 'None', or empty",
    ]);
    expect((await admin.get(`${CONFIG_MAPS}?includeObject=All`)).code).toBe(200);
  });

  test("a watch as tables sends the columns once", async () => {
    const changes = await admin.watch(
      `${CONFIG_MAPS}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
      TABLE,
    );
    const events = [await changes.next(), await changes.next(), await changes.next()];
    changes.close();
    expect(events.map((event) => event?.type)).toEqual(["ADDED", "ADDED", "BOOKMARK"]);
    const tables = events.map((event) => event?.object);
    expect(tables.map((table) => [table?.kind, table?.rows.length])).toEqual(Array(3).fill(["Table", 1]));
    expect(tables.map((table) => table?.columnDefinitions?.length ?? null)).toEqual([3, null, null]);
    const mark = tables[2]?.rows[0]?.object.metadata;
    expect(mark?.annotations).toBeDefined();
    expect(mark?.resourceVersion).toBe(tables[2]?.metadata.resourceVersion);
  });

  test("is also what a write answers, and never a Status", async () => {
    const made = await admin.ask("POST", CONFIG_MAPS, { body: configMap("three"), ...TABLE });
    expect([made.code, names(made.json)]).toEqual([201, ["three"]]);
    const gone = await admin.ask("DELETE", `${CONFIG_MAPS}/three`, TABLE);
    expect([gone.code, gone.json.kind]).toEqual([200, "Status"]);
    const missing = await admin.get(`${CONFIG_MAPS}/three`, TABLE);
    expect([missing.code, missing.json.kind, missing.headers["content-type"]]).toEqual([
      404,
      "Status",
      "application/json",
    ]);
  });

  test.each(["pretty=true", "pretty=false"])("reads the same with %s", async (query) => {
    const { json } = await admin.get(`${CONFIG_MAPS}?${query}`, TABLE);
    expect(names(json)).toEqual(["one", "two"]);
    const yaml = await admin.get(CONFIG_MAPS, as("Table", "v1", "application/yaml"));
    expect(parse(yaml.text)).toMatchObject({ kind: "Table", rows: [{ cells: ["one", 2, expect.anything()] }, {}] });
  });
});

describe("metadata alone", () => {
  test.each(["v1", "v1beta1"])("PartialObjectMetadata of an object, in %s", async (version) => {
    const { json } = await admin.get(`${CONFIG_MAPS}/one`, as("PartialObjectMetadata", version));
    expect(json).toEqual({ kind: "PartialObjectMetadata", apiVersion: `${META}/${version}`, metadata: one.metadata });
  });

  test("a PartialObjectMetadataList has no remainingItemCount", async () => {
    const { json } = await admin.get(`${CONFIG_MAPS}?limit=1`, METADATA_LIST);
    expect(json).toMatchObject({ kind: "PartialObjectMetadataList", apiVersion: `${META}/v1` });
    expect(Object.keys(json.metadata)).toEqual(["resourceVersion", "continue"]);
    const partial = { kind: "PartialObjectMetadata", apiVersion: `${META}/v1`, metadata: one.metadata };
    expect(json.items).toEqual([partial]);
    const asYaml = as("PartialObjectMetadataList", "v1", "application/yaml");
    const yaml = await admin.get(`${CONFIG_MAPS}?limit=1&${at(json)}`, asYaml);
    expect(parse(yaml.text)).toEqual(json);
  });

  test("PartialObjectMetadata in watch events, including bookmarks", async () => {
    const query = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const changes = await admin.watch(`${CONFIG_MAPS}?${query}`, METADATA);
    const [first, , bookmark] = [await changes.next(), await changes.next(), await changes.next()];
    expect(first?.object).toEqual({
      kind: "PartialObjectMetadata",
      apiVersion: `${META}/v1`,
      metadata: one.metadata,
    });
    expect(bookmark).toMatchObject({ type: "BOOKMARK", object: { kind: "PartialObjectMetadata" } });
    changes.close();
  });

  test.each([
    [CONFIG_MAPS, METADATA, "you requested PartialObjectMetadata, but the requested object is a list (ConfigMapList)"],
    [
      `${CONFIG_MAPS}/one`,
      METADATA_LIST,
      "you requested PartialObjectMetadataList, but the requested object is not a list (ConfigMap)",
    ],
    [
      `${CONFIG_MAPS}?watch=true`,
      METADATA_LIST,
      "you requested PartialObjectMetadataList, but the requested object is not a list (ConfigMap)",
    ],
  ])("is not mistaken for that of something else (%#)", async (path, accept, message) => {
    const { code, json } = await admin.get(path, accept);
    expect([code, json.reason, json.message]).toEqual([406, "NotAcceptable", message]);
  });
});

describe("YAML", () => {
  test("is what an object, a list, a failure and discovery are answered in", async () => {
    const object = await admin.get(`${CONFIG_MAPS}/one`, YAML);
    expect(object.headers["content-type"]).toBe("application/yaml");
    expect(parse(object.text)).toEqual(one);
    const { json } = await admin.get(CONFIG_MAPS);
    const list = await admin.get(`${CONFIG_MAPS}?${at(json)}`, YAML);
    expect(parse(list.text)).toEqual(json);
    const none = await admin.get(`${CONFIG_MAPS}?labelSelector=no%3Dsuch`, YAML);
    expect(parse(none.text)).toMatchObject({ kind: "ConfigMapList", items: [] });
    const missing = await admin.get(`${CONFIG_MAPS}/none`, YAML);
    expect([missing.code, missing.headers["content-type"]]).toEqual([404, "application/yaml"]);
    expect(parse(missing.text)).toMatchObject({ kind: "Status", reason: "NotFound" });
    expect(parse((await admin.get("/api", YAML)).text)).toMatchObject({ kind: "APIVersions" });
    expect(parse((await admin.get("/version", YAML)).text)).toEqual((await admin.get("/version")).json);
  });

  test("is no form of a watch", async () => {
    const { code, text } = await admin.get(`${CONFIG_MAPS}?watch=true`, YAML);
    expect([code, parse(text).message]).toEqual([406, expect.stringContaining("application/json;stream=watch")]);
  });
});

test("a failure is indented JSON for who takes nothing that there is", async () => {
  const { code, text, headers } = await admin.get(`${CONFIG_MAPS}/one`, { headers: { accept: "text/plain" } });
  expect([code, headers["content-type"]]).toEqual([406, "application/json"]);
  expect(text).toMatch(/^{\n {2}"kind": "Status"/);
});

test.each([
  ["a table", { ...TABLE.headers }, (text: string) => JSON.parse(text).rows.length],
  ["metadata alone", { ...METADATA_LIST.headers }, (text: string) => JSON.parse(text).items.length],
  ["YAML", { ...YAML.headers }, (text: string) => parse(text).items.length],
  ["JSON", {}, (text: string) => JSON.parse(text).items.length],
])("%s is compressed when it is large, for who takes that", async (_form, headers, count) => {
  const {
    text,
    bytes,
    headers: answered,
  } = await admin.get(LARGE, { headers: { ...headers, "accept-encoding": "gzip" } });
  expect(answered).toMatchObject({ "content-encoding": "gzip", vary: "Accept-Encoding" });
  expect(text).not.toBe("");
  expect(count(gunzipSync(bytes).toString())).toBe(20);
});

describe("the head alone", () => {
  const SHOWN = ["content-type", "content-length", "content-encoding", "vary", "cache-control"];
  const shown = (headers: Readonly<Record<string, unknown>>) => SHOWN.map((name) => headers[name]);

  test.each<[string, string, Readonly<Record<string, string>>]>([
    ["an object", `${CONFIG_MAPS}/one`, {}],
    ["an object in YAML", `${CONFIG_MAPS}/one`, { ...YAML.headers }],
    ["its metadata", `${CONFIG_MAPS}/one`, { ...METADATA.headers }],
    ["a part of an object", "/api/v1/namespaces/large/status", {}],
    ["a collection", CONFIG_MAPS, {}],
    ["a table", CONFIG_MAPS, { ...TABLE.headers }],
    ["all namespaces", "/api/v1/configmaps?limit=1", {}],
    ["a large collection", LARGE, {}],
    ["a large collection, compressed", LARGE, { "accept-encoding": "gzip" }],
    ["a large object, compressed", `${CONFIG_MAPS}/big`, { "accept-encoding": "gzip" }],
    ["a missing object", `${CONFIG_MAPS}/none`, {}],
    ["a wrong query", `${CONFIG_MAPS}?limit=x`, {}],
  ])("HEAD of %s has the headers of GET, in both protocols", async (_what, path, headers) => {
    await admin.put(`${CONFIG_MAPS}/big`, configMap("big", { a: "x".repeat(200_000) }));
    const whole = await admin.get(path, { headers });
    const head = await admin.ask("HEAD", path, { headers });
    expect([head.code, head.text, shown(head.headers)]).toEqual([whole.code, "", shown(whole.headers)]);
    const session = await openHttp2(server);
    const stream = session.request({ ":method": "HEAD", ":path": path, ...headers });
    const answered = await new Promise<Readonly<Record<string, unknown>>>((resolve) =>
      stream.once("response", resolve),
    );
    let bytes = 0;
    for await (const piece of stream) bytes += (piece as Buffer).length;
    session.close();
    expect([answered[":status"], bytes, shown(answered)]).toEqual([whole.code, 0, shown(whole.headers)]);
  });

  test("HEAD of a watch is rejected", async () => {
    const { code, headers } = await admin.ask("HEAD", `${CONFIG_MAPS}?watch=1`);
    expect([code, headers["allow"]]).toEqual([405, "GET, POST, DELETE"]);
  });
});
