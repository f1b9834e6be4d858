import { describe, expect, test } from "@jest/globals";
import {
  cborDocument,
  cborToJson,
  encodeCbor,
  type JsonObject,
  type JsonValue,
  readJson,
  vocabularyOf,
} from "@orch/schema";
import { startServer } from "../server/start-server";
import { type Answer, ApiClient, CONFIG_MAPS, configMap } from "../testing/api-client";
import { useServer } from "../testing/use-server";

const TYPE = "application/cbor";
const metaGroup = vocabularyOf("orch").groups.meta;

let admin: ApiClient;

useServer((running) => ({ admin } = running), {
  flags: { "emulated-release": "1.36", "feature-gates": { CBORServingAndStorage: true } },
});

function decode(bytes: Buffer): JsonObject {
  const steps = cborToJson(bytes, 8 * 1024 * 1024);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return readJson(value.toString()) as JsonObject;
  }
}

function inCbor(answer: Answer): JsonObject {
  expect(answer.headers["content-type"]).toBe(TYPE);
  return decode(answer.bytes);
}

const send = (method: string, path: string, body: JsonValue, type = TYPE): Promise<Answer> =>
  admin.ask(method, path, { body: encodeCbor(body), headers: { "content-type": type, accept: TYPE } });

describe("an object in CBOR", () => {
  test("is created, read, replaced and deleted", async () => {
    const created = await send("POST", CONFIG_MAPS, configMap("one", { a: "1" }) as JsonObject);
    expect(created.code).toBe(201);
    const object = inCbor(created);
    expect(object).toMatchObject({ kind: "ConfigMap", metadata: { name: "one" }, data: { a: "1" } });
    const replaced = await send("PUT", `${CONFIG_MAPS}/one`, { ...object, data: { a: "2" } });
    expect(inCbor(replaced)).toMatchObject({ data: { a: "2" } });
    const read = await admin.get(`${CONFIG_MAPS}/one`);
    expect(read.headers["content-type"]).toBe("application/json");
    expect(read.json["data"]).toEqual({ a: "2" });
    const gone = await send("DELETE", `${CONFIG_MAPS}/one`, { kind: "DeleteOptions", apiVersion: "v1" });
    expect(inCbor(gone)).toMatchObject({ kind: "Status", status: "Success" });
  });

  test("has the same rules as in JSON", async () => {
    const bad = await send("POST", CONFIG_MAPS, { metadata: { name: "Bad Name" } });
    expect(bad.code).toBe(422);
    expect(inCbor(bad)).toMatchObject({ reason: "Invalid", details: { causes: [{ field: "metadata.name" }] } });
    const strict = await send("POST", `${CONFIG_MAPS}?fieldValidation=Strict`, { metadata: { name: "s" }, other: 1 });
    expect(inCbor(strict)).toMatchObject({ code: 400, message: expect.stringContaining('unknown field "other"') });
    const wrong = await send("POST", CONFIG_MAPS, { kind: "Secret", metadata: { name: "s" } });
    expect(wrong.code).toBe(400);
  });

  test("may hold bytes and the mark of CBOR", async () => {
    const marked = cborDocument({ metadata: { name: "bytes" } });
    // `data: {a: <bytes 1, 2>}`, marked as bytes that are base64 in JSON.
    const body = Buffer.concat([
      Buffer.from("a2", "hex"),
      encodeCbor("metadata"),
      encodeCbor({ name: "bytes" }),
      encodeCbor("data"),
      Buffer.from("a14161d6420102", "hex"),
    ]);
    const path = "/api/v1/namespaces/default/secrets";
    const headers = { "content-type": TYPE };
    expect((await admin.ask("POST", path, { body, headers })).json["data"]).toEqual({ a: "AQI=" });
    expect((await admin.ask("POST", CONFIG_MAPS, { body: marked, headers })).code).toBe(201);
  });

  test("is applied", async () => {
    const body = { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "applied" }, data: { a: "1" } };
    const path = `${CONFIG_MAPS}/applied?fieldManager=me`;
    const applied = await send("PATCH", path, body, "application/apply-patch+cbor");
    expect(applied.code).toBe(201);
    expect(inCbor(applied)).toMatchObject({ metadata: { managedFields: [{ manager: "me", operation: "Apply" }] } });
  });
});

test("lists, partial metadata and tables are answered in CBOR", async () => {
  await send("POST", CONFIG_MAPS, { metadata: { name: "listed", labels: { list: "yes" } }, data: { a: "1" } });
  const path = `${CONFIG_MAPS}?labelSelector=list`;
  const list = inCbor(await admin.get(path, { headers: { accept: TYPE } }));
  expect(list).toMatchObject({ kind: "ConfigMapList", items: [{ metadata: { name: "listed" }, data: { a: "1" } }] });
  // The server may write other objects between two lists.
  const again = (await admin.get(path)).json as { readonly metadata: { readonly resourceVersion: string } };
  expect(list).toEqual({ ...again, metadata: { resourceVersion: expect.any(String) } });
  const as = (kind: string) => ({ headers: { accept: `${TYPE};as=${kind};g=${metaGroup};v=v1` } });
  expect(inCbor(await admin.get(path, as("PartialObjectMetadataList")))).toMatchObject({
    kind: "PartialObjectMetadataList",
    items: [{ kind: "PartialObjectMetadata", metadata: { name: "listed" } }],
  });
  expect(inCbor(await admin.get(path, as("Table")))).toMatchObject({
    kind: "Table",
    rows: [{ cells: ["listed", 1, expect.any(String)] }],
  });
  const empty = inCbor(await admin.get(`${CONFIG_MAPS}?labelSelector=none`, { headers: { accept: TYPE } }));
  expect(empty["items"]).toEqual([]);
});

test("a watch in CBOR sends a sequence of data items", async () => {
  const { metadata } = (await admin.get(CONFIG_MAPS)).json as { metadata: { resourceVersion: string } };
  await send("POST", CONFIG_MAPS, { metadata: { name: "watched" } });
  await admin.delete(`${CONFIG_MAPS}/watched`);
  const query = `watch=1&timeoutSeconds=1&resourceVersion=${metadata.resourceVersion}`;
  for (const accept of [TYPE, "application/cbor-seq", `application/json;q=0.9,${TYPE};q=1`]) {
    const answer = await admin.get(`${CONFIG_MAPS}?${query}`, { headers: { accept } });
    expect(answer.headers["content-type"]).toBe("application/cbor-seq");
    const items = answer.bytes.toString("latin1").split("\u00d9\u00d9\u00f7").slice(1);
    expect(items.map((item) => decode(Buffer.from(item, "latin1")))).toMatchObject([
      { type: "ADDED", object: { kind: "ConfigMap", metadata: { name: "watched" } } },
      { type: "DELETED", object: { metadata: { name: "watched" } } },
    ]);
  }
});

test("a large object is written and read in CBOR", async () => {
  const data = Object.fromEntries(Array.from({ length: 6000 }, (_, at) => [`key-${at}`, "v"]));
  const created = await send("POST", CONFIG_MAPS, { metadata: { name: "large" }, data });
  expect(created.code).toBe(201);
  expect(inCbor(await admin.get(`${CONFIG_MAPS}/large`, { headers: { accept: TYPE } }))["data"]).toEqual(data);
});

describe("bad bodies", () => {
  test.each([
    ["that ends too early", Buffer.from("a1", "hex"), "the data ends too early at byte 0"],
    ["with a duplicate key", Buffer.from("a2416101416102", "hex"), 'a map has the key "a" twice at byte 4'],
    ["without an end", Buffer.alloc(3 * 1024 * 1024 - 10, 0x9f), "the nesting is deeper than 1000"],
    ["that JSON makes too long", encodeCbor("\u0001".repeat(2 * 1024 * 1024)), "the JSON form has more than"],
  ])("a body %s is refused", async (_what, body, message) => {
    const answer = await admin.ask("POST", CONFIG_MAPS, { body, headers: { "content-type": TYPE } });
    expect(answer.code).toBe(400);
    expect(answer.json["message"]).toContain(message);
  });

  test("a patch in plain CBOR has no type", async () => {
    const answer = await send("PATCH", `${CONFIG_MAPS}/applied`, { data: {} });
    expect(inCbor(answer)).toMatchObject({ code: 415, message: expect.stringContaining("apply-patch+cbor") });
  });

  test("unsupported types are refused with CBOR among the supported ones", async () => {
    const answer = await admin.ask("POST", CONFIG_MAPS, { body: "x", headers: { "content-type": "text/csv" } });
    expect(answer.code).toBe(415);
    expect(answer.json["message"]).toContain(TYPE);
  });
});

test("CBOR is not served without its gate", async () => {
  const plain = await startServer({ flags: { "emulated-release": "1.36" } });
  const client = new ApiClient(plain, plain.admin);
  const body = encodeCbor({ metadata: { name: "off" } });
  expect((await client.ask("POST", CONFIG_MAPS, { body, headers: { "content-type": TYPE } })).code).toBe(415);
  expect((await client.get(CONFIG_MAPS, { headers: { accept: TYPE } })).code).toBe(406);
  client.close();
  await plain.stop();
});
