import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { builtInResources } from "@orch/apis";
import type { Content } from "@orch/http-server";
import { silentLog } from "@orch/platform";
import { ResourceRoutes } from "@orch/request";
import { loadSchema, vocabularyOf } from "@orch/schema";
import { PublishedSchema } from "./published-schema";
import { RouteDocuments } from "./route-documents";

const schema = loadSchema(vocabularyOf("orch"));
const release = "1.23";
const definitions = builtInResources(schema.vocabulary, schema, { release });

let routes: ResourceRoutes;
let published: PublishedSchema;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ["nextTick", "performance", "queueMicrotask", "setImmediate"] });
  routes = new ResourceRoutes({ enabled: () => true, deprecation: () => undefined });
  serve("configmaps");
  const info = { title: "An API", version: "v1.23.0" };
  published = new PublishedSchema({
    info,
    sources: (signal) => [new RouteDocuments({ schema, release, routes, info, build: "of tests", signal })],
    logger: silentLog,
    now: Date.now,
  });
  published.start();
});
afterEach(() => {
  published.stop();
  jest.useRealTimers();
});

function serve(plural: string): void {
  const definition = definitions.find((each) => each.plural === plural);
  if (definition === undefined) throw new Error(`no ${plural}`);
  const answer = async () => {
    throw new Error("nothing is asked here");
  };
  routes.change({ add: [{ kind: "virtual", definition, answer }] });
}

const version2 = () => published.version2("json").content();
const pathsOf = async (content: Content) => Object.keys(JSON.parse((await content.plain()).toString()).paths as object);
const addresses = async () =>
  JSON.parse((await (await published.version3Index()).plain()).toString()).paths as Record<
    string,
    { serverRelativeURL: string }
  >;

async function shown() {
  const [merged, index] = await Promise.all([version2(), addresses()]);
  return { hasLeases: (await pathsOf(merged)).some((path) => path.includes("leases")), documents: Object.keys(index) };
}

test("a change is shown a moment later, and until then what was before", async () => {
  const before = await shown();
  expect(before).toMatchObject({
    hasLeases: false,
    documents: expect.not.arrayContaining(["apis/coordination.orch.io/v1"]),
  });
  serve("leases");
  expect(await shown()).toEqual(before);
  jest.advanceTimersByTime(1000);
  while (!(await shown()).hasLeases) await nextTurn();
  while ((await shown()).documents.length === before.documents.length) await nextTurn();
  expect((await shown()).documents).toContain("apis/coordination.orch.io/v1");
});

test("an unchanged group version keeps its address when another one changes", async () => {
  const core = async () => (await addresses())["api/v1"]?.serverRelativeURL;
  const before = await core();
  serve("leases");
  jest.advanceTimersByTime(1000);
  while ((await addresses())["apis/coordination.orch.io/v1"] === undefined) await nextTurn();
  expect(await core()).toBe(before);
});

test("several changes at once make the documents once", async () => {
  await shown();
  const before = await version2();
  serve("leases");
  jest.advanceTimersByTime(900);
  serve("secrets");
  jest.advanceTimersByTime(900);
  await nextTurn();
  expect(await version2()).toBe(before);
  jest.advanceTimersByTime(100);
  while ((await version2()) === before) await nextTurn();
  const paths = await pathsOf(await version2());
  for (const plural of ["leases", "secrets"]) expect(paths.join()).toContain(plural);
});

test("changes that follow each other without end are shown all the same", async () => {
  await shown();
  const before = await version2();
  for (let times = 0; times < 10; times += 1) {
    serve(times % 2 === 0 ? "leases" : "secrets");
    jest.advanceTimersByTime(900);
  }
  while ((await version2()) === before) await nextTurn();
});
