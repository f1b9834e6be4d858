// Tests schemas of aggregated API servers, well-formed and malformed, merged with this server's schema.
import { describe, expect, test } from "@jest/globals";
import { Slices } from "@orch/openapi";
import { membersOf } from "./json-members";
import { readRemoteSpec } from "./remote-spec";
import { SpecMerger } from "./spec-merger";

const slices = () => new Slices(new AbortController().signal);
const OF = { group: "a.b", version: "v1" };
const bytesOf = (value: unknown) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value));
const read = (value: unknown) => readRemoteSpec(bytesOf(value), OF, slices());
const names = (of: ReadonlyMap<string, string>) => [...of.keys()].sort();

async function merged(own: object, ...others: readonly object[]) {
  const merger = await SpecMerger.of(bytesOf(own), slices());
  for (const other of others) await merger.add(await read(other));
  const { paths, definitions, parameters, ...rest } = JSON.parse(Buffer.concat([...merger.json()]).toString());
  return { paths, definitions, parameters, rest, protobuf: Buffer.concat(await merger.protobuf()) };
}

const ref = (name: string) => ({ $ref: `#/definitions/${name}` });
const THING = { type: "object", properties: { meta: ref("Meta") } };
const path = (type: string) => ({ get: { responses: { 200: { description: "OK", schema: ref(type) } } } });

test("members are found where they are, whatever texts and values hold", () => {
  const text = ' {"a":1 , "b\\"}":{"c":"}\\\\"},"d":[{"e":"]"}],"f":null,"g":"x\\\\\\"","\\u0041":-1.5e3}  ';
  const found = [...membersOf(Buffer.from(text))].map(({ name, value }) => [name, value.toString()]);
  expect(Object.fromEntries(found.map(([name = "", value = ""]) => [name, JSON.parse(value)]))).toEqual(
    JSON.parse(text),
  );
  expect([...membersOf(Buffer.from("{ }"))]).toEqual([]);
});

test.each([
  "",
  "[]",
  "{",
  '{"a"',
  '{"a":',
  '{"a":}',
  '{"a":"b',
  '{"a":[',
  '{"a":1',
  '{"a":1 "b":2}',
  "{a:1}",
  '{"a":1,}',
  '{"a\\u00":1}',
  "null",
])("%j is no object", (text) => expect(() => [...membersOf(Buffer.from(text))]).toThrow());

describe("the members of a document", () => {
  test("is kept what the group version needs, and nothing else", async () => {
    const kinds = (...of: readonly object[]) => ({ "x-orch-group-version-kind": of });
    const spec = await read({
      swagger: "2.0",
      paths: {
        "/apis/a.b/v1/things": { ...path("Thing"), parameters: [{ $ref: "#/parameters/pretty" }] },
        "/apis/a.b/v1beta1/things": path("Other"),
        "/apis/a.b/v10/things": path("Other"),
        "/api/v1/pods": path("Other"),
      },
      definitions: {
        Thing: THING,
        Meta: { type: "object", properties: { owner: ref("Thing"), missing: ref("Nothing") } },
        Other: { type: "object" },
        Embedded: { type: "object", ...kinds({ group: "a.b", kind: "Embedded", version: "v1" }) },
        Options: kinds(
          { group: "a.b", kind: "Options", version: "v1" },
          { group: "c", kind: "Options", version: "v1" },
        ),
      },
      parameters: { pretty: { name: "pretty", in: "query", type: "string" }, unused: {} },
    });
    expect(names(spec.paths)).toEqual(["/apis/a.b/v1/things"]);
    expect(names(spec.definitions)).toEqual(["Embedded", "Meta", "Thing"]);
    expect(names(spec.parameters)).toEqual(["pretty"]);
  });

  const inPath = (value: string) => `{"paths":{"/apis/a.b/v1/x":${value}}}`;
  test.each<[string, string]>([
    ["no object", "[]"],
    ["half of one", '{"paths":{"/apis/a.b/v1/x":{'],
    ["what is broken inside", inPath("{]}")],
    ["a text in the place of an operation", inPath('"x"')],
    ["what is deep", inPath(`${'{"a":'.repeat(100)}1${"}".repeat(100)}`)],
    ["what is very deep", inPath(`${"[".repeat(100_000)}${"]".repeat(100_000)}`)],
    ["a large member", inPath(JSON.stringify({ a: "x".repeat(300_000) }))],
    ["a very large text", inPath(`{"a":"${"x".repeat(3_000_000)}`)],
    ["a very large number", `{"a":${"1".repeat(3_000_000)}`],
    ["nothing but space", " ".repeat(3_000_000)],
    ["many members", `{"paths":{${Array.from({ length: 20_001 }, (_each, at) => `"${at}":1`).join()}}}`],
    [
      "more than is kept",
      `{"paths":{${Array.from({ length: 40 }, (_each, at) => `"/apis/a.b/v1/${at}":{"a":"${"x".repeat(120_000)}"}`).join()}}}`,
    ],
  ])("is nothing taken that holds %s", async (_what, text) => {
    await expect(readRemoteSpec(Buffer.from(text), OF, slices())).rejects.toThrow();
  });

  test("names that mean something to the language are names", async () => {
    const spec = await read(
      '{"paths":{"/apis/a.b/v1/x":{"get":{"$ref":"#/definitions/__proto__"}}},"definitions":{"__proto__":{"type":"object"}}}',
    );
    expect(names(spec.definitions)).toEqual(["__proto__"]);
    const { definitions } = await merged(
      { paths: {}, definitions: {} },
      { paths: { "/apis/a.b/v1/x": path("constructor") }, definitions: { constructor: { type: "string" } } },
    );
    expect(definitions).toEqual({ constructor: { type: "string" } });
  });
});

describe("beside this server's own", () => {
  const OWN = {
    swagger: "2.0",
    paths: { "/api/v1/pods": path("Meta") },
    definitions: { Meta: { type: "object" }, Same: { type: "object", properties: { a: { type: "string" } } } },
    parameters: {},
    security: [],
  };

  test("parts are put in, and what is there stays", async () => {
    const { paths, definitions, rest, protobuf } = await merged(OWN, {
      paths: { "/apis/a.b/v1/things": path("New") },
      definitions: {
        New: { type: "object", properties: { same: ref("Same") } },
        Same: { properties: { a: { type: "string" } }, type: "object" },
      },
    });
    expect(Object.keys(paths)).toEqual(["/api/v1/pods", "/apis/a.b/v1/things"]);
    expect(Object.keys(definitions)).toEqual(["Meta", "Same", "New"]);
    expect(rest).toEqual({ swagger: "2.0", security: [] });
    expect(protobuf.includes("/apis/a.b/v1/things")).toBe(true);
  });

  test("a type that several servers share stands for the kinds of all", async () => {
    const kind = (group: string) => ({ group, kind: "Options", version: "v1" });
    const type = (...groups: readonly string[]) => ({
      type: "object",
      "x-orch-group-version-kind": groups.map(kind),
      properties: { a: { type: "string" } },
    });
    const own = { ...OWN, definitions: { First: THING, Options: type("", "apps"), Same: OWN.definitions.Same } };
    const other = (...groups: readonly string[]) => ({
      paths: { "/apis/a.b/v1/things": path("Options") },
      definitions: { Options: type(...groups) },
    });
    const { definitions, protobuf } = await merged(own, other("apps", "a.b"), other("a.b", "c.d"));
    expect(definitions).toEqual({ ...own.definitions, Options: type("", "apps", "a.b", "c.d") });
    expect(protobuf.includes("c.d")).toBe(true);
    const unchanged = await merged(own, other("apps", ""));
    expect(unchanged.definitions).toEqual(own.definitions);
  });

  test("types of one name that differ get another, with all that speak of them", async () => {
    const other = {
      paths: { "/apis/a.b/v1/things": path("Same") },
      // Equal to the type of this server, except for the types that it refers to.
      definitions: {
        Same: { type: "object", properties: { a: { type: "string" }, m: ref("Meta") } },
        Meta: { type: "object", properties: {} },
      },
    };
    const { paths, definitions } = await merged(OWN, other, {
      paths: { "/apis/a.b/v1/others": path("Meta"), "/apis/a.b/v1/things": path("Meta") },
      definitions: { Meta: { type: "object", description: "a third" } },
    });
    expect(paths["/apis/a.b/v1/things"]).toEqual(path("Same_v2"));
    expect(paths["/apis/a.b/v1/others"]).toEqual(path("Meta_v3"));
    expect(definitions["Same_v2"].properties.m).toEqual(ref("Meta_v2"));
    expect(definitions.Meta).toEqual({ type: "object" });
    expect(Object.keys(definitions).sort()).toEqual(["Meta", "Meta_v2", "Meta_v3", "Same", "Same_v2"]);
  });

  test("types that differ in the kinds alone that they are of are one", async () => {
    const options = (...groups: readonly string[]) => ({
      type: "object",
      "x-orch-group-version-kind": groups.map((group) => ({ group, kind: "DeleteOptions", version: "v1" })),
    });
    const { definitions } = await merged(
      { ...OWN, definitions: { Options: options("", "apps") } },
      { paths: { "/apis/a.b/v1/things": path("Options") }, definitions: { Options: options("", "a.b") } },
    );
    expect(Object.keys(definitions)).toEqual(["Options"]);
  });

  test("members without a protobuf form are omitted from protobuf only", async () => {
    const { paths, protobuf } = await merged(OWN, {
      paths: { "/apis/a.b/v1/odd": { get: { responses: 7, unheard: {} } }, "/apis/a.b/v1/even": path("Meta") },
    });
    expect(Object.keys(paths)).toContain("/apis/a.b/v1/odd");
    expect([protobuf.includes("/apis/a.b/v1/odd"), protobuf.includes("/apis/a.b/v1/even")]).toEqual([false, true]);
  });
});
