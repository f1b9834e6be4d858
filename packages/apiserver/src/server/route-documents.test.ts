import { beforeEach, expect, test } from "@jest/globals";
import { builtInResources } from "@orch/apis";
import type { Content } from "@orch/http-server";
import type { ResourceDefinition } from "@orch/machinery";
import { SILENT } from "@orch/observability";
import { type DocumentSource, PublishedSchema, RouteDocuments } from "@orch/openapi";
import type { ResourceStorage } from "@orch/registry";
import { ResourceRoutes } from "@orch/request";
import { dynamicStruct, loadSchema, StructObjectType, vocabularyOf } from "@orch/schema";
import { cronTabs } from "../testing/cron-tabs";

const schema = loadSchema(vocabularyOf("orch"));
const release = "1.23";
const info = { title: "An API", version: "v1.23.0" };

let routes: ResourceRoutes;
let published: PublishedSchema;
/** Names of the definitions whose models were made. */
let made: string[];

beforeEach(() => {
  made = [];
  routes = new ResourceRoutes({ enabled: () => true, deprecation: () => undefined });
  serve(builtInResources(schema.vocabulary, schema, { release }).find(({ plural }) => plural === "configmaps"));
  published = publishedWith([]);
});

const publishedWith = (others: readonly DocumentSource[]) =>
  new PublishedSchema({
    info,
    sources: (signal) => [new RouteDocuments({ schema, release, routes, info, build: "of tests", signal }), ...others],
    logger: SILENT,
    now: () => 0,
  });

function serve(definition: ResourceDefinition | undefined): void {
  if (definition === undefined) throw new Error("no definition");
  routes.change({ add: [{ kind: "stored", definition, storage: { definition } as ResourceStorage }] });
}

/** Defines `things` in a group of its own. @param says description in the model */
function define(group: string, says = ""): void {
  const type = dynamicStruct({
    name: `${group}/v1.Thing`,
    isRoot: true,
    fields: [],
    *published() {
      yield;
      made.push(group);
      return { type: "object", description: says };
    },
  });
  const v1 = {
    group,
    version: "v1",
    kind: "Thing",
    apiVersion: `${group}/v1`,
    type: new StructObjectType("Thing", type),
  };
  const names = { group, plural: "things", kind: "Thing", listKind: "ThingList" };
  serve(cronTabs(schema, { ...names, versions: [v1], storage: v1, isCustom: true, contentKey: `${group} ${says}` }));
}

const parsed = async (content: Promise<Content>) => JSON.parse((await (await content).plain()).toString());
const version2 = () => parsed(published.version2("json").content());
const addressOf = async (path: string) =>
  (await parsed(published.version3Index())).paths[path]?.serverRelativeURL as string | undefined;
const version3 = async (path: string) => {
  const document = await published.version3Document(path, "json");
  return document === undefined ? {} : parsed(document.content());
};

test("where the documents of definitions are is told without making them", async () => {
  for (let count = 0; count < 50; count += 1) define(`g${count}.example`);
  const address = await addressOf("apis/g7.example/v1");
  expect(address).toMatch(/^\/openapi\/v3\/apis\/g7\.example\/v1\?hash=[0-9A-F]+$/);
  expect(await addressOf("apis/g7.example")).toBeDefined();
  expect(made).toEqual([]);
  const document = await version3("apis/g7.example/v1");
  expect(document.components.schemas["example.g7.v1.Thing"]).toMatchObject({ type: "object" });
  expect(Object.keys(document.paths)).toContain("/apis/g7.example/v1/namespaces/{namespace}/things");
  await version3("apis/g7.example/v1");
  expect(made).toEqual(["g7.example"]);
});

test("a definition that changes gets another address, and the others keep theirs", async () => {
  for (const group of ["one.example", "other.example"]) define(group);
  const [one, other] = [await addressOf("apis/one.example/v1"), await addressOf("apis/other.example/v1")];
  define("one.example", "something else");
  expect(await addressOf("apis/one.example/v1")).not.toBe(one);
  expect(await addressOf("apis/other.example/v1")).toBe(other);
  expect((await version3("apis/one.example/v1")).components.schemas["example.one.v1.Thing"].description).toBe(
    "something else",
  );
});

test("only changed parts of the version 2 document are rebuilt", async () => {
  for (const group of ["a.example", "b.example", "c.example"]) define(group);
  const before = await version2();
  expect(made).toEqual(["a.example", "b.example", "c.example"]);
  define("b.example", "something else");
  const again = publishedAgain();
  const after = await again;
  expect(made).toEqual(["a.example", "b.example", "c.example", "b.example"]);
  expect(after.definitions["example.b.v1.Thing"].description).toBe("something else");
  expect({ ...after.definitions, "example.b.v1.Thing": undefined }).toEqual({
    ...before.definitions,
    "example.b.v1.Thing": undefined,
  });
  expect(Object.keys(after.paths)).toEqual(Object.keys(before.paths));
});

/** Waits for the next documents: those from before a change are served until then. */
async function publishedAgain() {
  const document = published.version2("json");
  const before = await document.content();
  for (;;) {
    const content = await document.content();
    if (content !== before) return parsed(Promise.resolve(content));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test("whether a client has the document of version 2 is told without making it", async () => {
  define("a.example");
  const { hash } = await published.version2("json").content();
  // Another replica, without requests so far, which has made the documents of built-in resources.
  const replica = publishedWith([]);
  await replica.version2("json").prepare();
  made = [];
  expect(replica.version2("json").hash()).toBe(hash);
  define("a.example", "something else");
  expect(replica.version2("json").hash()).not.toBe(hash);
  expect(made).toEqual([]);
});

test("members of another source are added; the server's own members win", async () => {
  const piece = (path: string, description: string) => ({
    path,
    hash: "AB",
    *parts() {
      yield { section: "paths", name: `/${path}/`, value: { description } } as const;
      yield { section: "models", name: "Status", value: { description } } as const;
    },
  });
  const broken = { ...piece("apis/broken.example/v1", ""), parts: () => fail() };
  const pieces = [piece("apis/else.example/v1", "from elsewhere"), broken, piece("apis/own.example/v1", "not shown")];
  define("own.example");
  published = publishedWith([{ pieces: () => pieces, onChange: undefined }]);
  expect(await addressOf("apis/else.example/v1")).toBe("/openapi/v3/apis/else.example/v1?hash=AB");
  expect((await version3("apis/else.example/v1")).paths).toEqual({
    "/apis/else.example/v1/": { description: "from elsewhere" },
  });
  expect((await version3("apis/own.example/v1")).components.schemas).toHaveProperty(["example.own.v1.Thing"]);
  const { paths } = await version2();
  expect(paths["/apis/else.example/v1/"]).toEqual({ description: "from elsewhere" });
  expect(paths["/apis/own.example/v1/"].get).toBeDefined();
});

function fail(): never {
  throw new Error("it cannot be made");
}
