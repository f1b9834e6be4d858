import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { builtInResources } from "@orch/apis";
import { loadSchema, vocabularyOf } from "@orch/schema";
import { SILENT } from "../logging/logger";
import { ResourceRoutes } from "../routes/resource-routes";
import { parsed } from "../testing/published-documents";
import { PublishedSchema } from "./published-schema";

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
  published = new PublishedSchema({ schema, release, info, routes, logger: SILENT });
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

async function shown() {
  const [version2, version3] = await Promise.all([published.version2(), published.version3()]);
  const paths = Object.keys(parsed(version2)["paths"] as object);
  return { hasLeases: paths.some((path) => path.includes("leases")), documents: [...version3.byPath.keys()] };
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
  while ((await published.version3()).byPath.size === before.documents.length) await nextTurn();
  expect((await shown()).documents).toContain("apis/coordination.orch.io/v1");
});

test("an unchanged group version keeps its address when another one changes", async () => {
  const core = async () => (await published.version3()).byPath.get("api/v1")?.json.hash;
  const before = await core();
  serve("leases");
  jest.advanceTimersByTime(1000);
  while (!(await published.version3()).byPath.has("apis/coordination.orch.io/v1")) await nextTurn();
  expect(await core()).toBe(before);
});

test("several changes at once make the documents once", async () => {
  await shown();
  const before = await published.version2();
  serve("leases");
  jest.advanceTimersByTime(900);
  serve("secrets");
  jest.advanceTimersByTime(900);
  await nextTurn();
  expect(await published.version2()).toBe(before);
  jest.advanceTimersByTime(100);
  while ((await published.version2()) === before) await nextTurn();
  const paths = Object.keys(parsed(await published.version2())["paths"] as object);
  for (const plural of ["leases", "secrets"]) expect(paths.join()).toContain(plural);
});

test("changes that follow each other without end are shown all the same", async () => {
  await shown();
  const before = await published.version2();
  for (let times = 0; times < 10; times += 1) {
    serve(times % 2 === 0 ? "leases" : "secrets");
    jest.advanceTimersByTime(900);
  }
  while ((await published.version2()) === before) await nextTurn();
});
